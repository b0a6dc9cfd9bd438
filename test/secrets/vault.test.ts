import { readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { keepKeyFile, Vault, VaultError } from '../../src/secrets/vault.ts';
import { someoneElses } from '../foreign-file.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** What is done to the disk, and how large the key file was just before; undefined while there is none. */
const steps: { call: string; sizeBefore: number | undefined }[] = [];
/** A disk such as FAT's. */
const withoutLinks = { on: false };

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const noted = <Given extends unknown[], Result>(call: string, act: (...given: Given) => Result) => {
    return (...given: Given): Result => {
      steps.push({ call, sizeBefore: fs.statSync(file, { throwIfNoEntry: false })?.size });
      return act(...given);
    };
  };
  return {
    ...fs,
    openSync: noted('openSync', fs.openSync),
    writeSync: noted('writeSync', (opened: number, text: string) => fs.writeSync(opened, text)),
    fsyncSync: noted('fsyncSync', fs.fsyncSync),
    linkSync: noted('linkSync', (from: string, to: string) => {
      if (withoutLinks.on) throw Object.assign(new Error('no links here'), { code: 'EPERM' });
      fs.linkSync(from, to);
    }),
  };
});

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder, 'troupe.db.key');
});

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

  it('takes no key that somebody else put there, whatever its name leads to', async () => {
    const planted = `${await someoneElses('.key')}.key`;
    expect(() => new Vault({ secret: undefined, file: planted }).seal(token, about)).toThrow(
      new VaultError(
        `${planted} belongs to another user of this machine, who could read and change what is in it; delete it, or use a folder where nobody else can make files`,
      ),
    );
    await symlink(planted, file);
    expect(() => new Vault({ secret: undefined, file }).seal(token, about)).toThrow(
      /belongs to another user/,
    );
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

  it('never has half of a key file, and takes no notice of what a start that was cut off left', async () => {
    await writeFile(`${file}.new`, 'half of a ke', { mode: 0o644 });
    const sealed = new Vault({ secret: undefined, file }).seal(token, about);
    expect(await readdir(folder)).toEqual(['troupe.db.key']);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(new Vault({ secret: undefined, file }).open(sealed, about)).toBe(token);
  });

  it('has the key file whole on the disk before it has its name: at every step, nothing or all of it is there', async () => {
    steps.length = 0;
    new Vault({ secret: undefined, file }).seal(token, about);
    const named = steps.findIndex(({ call }) => call === 'linkSync');
    expect(steps.map(({ call }) => call)).toEqual([
      'openSync',
      'writeSync',
      'fsyncSync',
      'linkSync',
      'openSync',
      'fsyncSync',
    ]);
    for (const [index, { sizeBefore }] of steps.entries()) {
      expect(sizeBefore).toBe(index <= named ? undefined : 44);
    }
  });

  it('takes the key of a file that came to be meanwhile, and never writes over it', async () => {
    const [one, other] = [
      new Vault({ secret: undefined, file }),
      new Vault({ secret: undefined, file }),
    ] as const;
    expect(() => one.open('v1.00000000.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAA', about)).toThrow(
      VaultError,
    );
    const sealed = other.seal(token, about);
    const content = await readFile(file, 'utf8');
    expect(other.open(one.seal(token, about), about)).toBe(token);
    expect(one.open(sealed, about)).toBe(token);
    expect(keepKeyFile(file, 'x'.repeat(43))).toBe(content.trim());
    expect(await readFile(file, 'utf8')).toBe(content);
    expect(await readdir(folder)).toEqual(['troupe.db.key']);
  });

  it('makes a key file where the disk knows no links, too', async () => {
    withoutLinks.on = true;
    try {
      const sealed = new Vault({ secret: undefined, file }).seal(token, about);
      expect(await readdir(folder)).toEqual(['troupe.db.key']);
      expect(new Vault({ secret: undefined, file }).open(sealed, about)).toBe(token);
    } finally {
      withoutLinks.on = false;
    }
  });

  it('says that the key file is gone where it is, and makes no new one', async () => {
    const sealed = new Vault({ secret: undefined, file }).seal(token, about);
    await rm(file);
    const later = new Vault({ secret: undefined, file });
    expect(() => later.open(sealed, about)).toThrow(
      /key that is gone: its key file \(.*\) isn't there; put it back/,
    );
    expect(await readdir(folder)).toEqual([]);
  });

  it('says what to do where the key is another, and makes no new one', async () => {
    const sealed = new Vault({ secret, file: undefined }).seal(token, about);
    const another = `${file}.another`;
    await writeFile(another, 'y'.repeat(43));
    const other = new Vault({ secret: undefined, file: another });
    expect(() => other.open(sealed, about)).toThrow(
      /^ENCRYPTION_KEY: .*another key; set that key, or put back/,
    );
    expect(await readFile(another, 'utf8')).toBe('y'.repeat(43));
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
