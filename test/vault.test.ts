import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Vault, VaultError } from '../src/vault.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-vault-'));
  file = join(folder, 'troupe.db.key');
});
afterEach(() => rm(folder, { recursive: true }));

const secret = 'correct horse battery staple, twice over';
const token = 'xoxb-1-secret';
const about = 'slack installation team T1';

describe('the vault', () => {
  it('opens what it sealed, which shows nothing of it and is never the same twice', () => {
    const vault = new Vault({ secret, file });
    const sealed = vault.seal(token, about);
    expect(sealed).not.toContain('secret');
    expect(vault.seal(token, about)).not.toBe(sealed);
    expect(vault.open(sealed, about)).toBe(token);
    expect(new Vault({ secret, file: undefined }).open(sealed, about)).toBe(token);
  });

  it('opens nothing that was changed, or moved to another place', () => {
    const vault = new Vault({ secret, file });
    const sealed = vault.seal(token, about);
    const last = sealed.at(-1) === 'A' ? 'Q' : 'A';
    const [, key] = sealed.split('.');
    expect(() => vault.open(sealed.slice(0, -1) + last, about)).toThrow(VaultError);
    expect(() => vault.open(sealed, 'slack installation team T2')).toThrow(/is damaged/);
    expect(() => vault.open(`v1.${key}.${'A'.repeat(16)}.${'A'.repeat(40)}`, about)).toThrow(VaultError);
  });

  it('knows that it was sealed, and is damaged, however much of it is missing', () => {
    const vault = new Vault({ secret, file });
    const sealed = vault.seal(token, about);
    for (let length = 'v1.'.length; length < sealed.length; length++) {
      expect(Vault.isSealed(sealed.slice(0, length))).toBe(true);
      expect(() => vault.open(sealed.slice(0, length), about)).toThrow(/is damaged/);
    }
    expect(Vault.isSealed(token)).toBe(false);
  });

  it('makes a key file of its own when it is needed first, for nobody else to read', async () => {
    const vault = new Vault({ secret: undefined, file });
    await expect(stat(file)).rejects.toThrow();
    const sealed = vault.seal(token, about);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readFile(file, 'utf8')).trim().length).toBeGreaterThanOrEqual(43);
    expect(new Vault({ secret: undefined, file }).open(sealed, about)).toBe(token);
  });

  it('says what to do where the key is another, and makes no new one', async () => {
    const sealed = new Vault({ secret, file: undefined }).seal(token, about);
    const other = new Vault({ secret: undefined, file });
    expect(() => other.open(sealed, about)).toThrow(
      /^ENCRYPTION_KEY: .*another key; set that key, or put back/,
    );
    await expect(stat(file)).rejects.toThrow();
    const wrong = new Vault({ secret: 'x'.repeat(32), file });
    expect(() => wrong.open(sealed, about)).toThrow(VaultError);
    expect(() => wrong.open(sealed, about)).not.toThrow(/x{32}/);
  });

  it('still opens what the key file sealed when ENCRYPTION_KEY is set, and seals anew with that', () => {
    const before = new Vault({ secret: undefined, file }).seal(token, about);
    const vault = new Vault({ secret, file });
    expect(vault.open(before, about)).toBe(token);
    expect(vault.isCurrent(before)).toBe(false);
    expect(vault.isCurrent(vault.seal(token, about))).toBe(true);
    expect(vault.isCurrent(token)).toBe(false);
  });

  it('takes no file for a key that is none', async () => {
    await writeFile(file, 'short');
    expect(() => new Vault({ secret: undefined, file }).seal(token, about)).toThrow(/this is no key file/);
  });
});
