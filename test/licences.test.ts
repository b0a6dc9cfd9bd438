import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { dev?: boolean; license?: string }>;
};

/** What asks for no more than to be named, or, where it is unchanged, to be pointed to. */
const known = [
  '(MIT OR CC0-1.0)',
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MPL-2.0',
  'PSF-2.0',
];
/** Those that ask for more, each looked at and named in the README. */
const lookedAt: Record<string, string> = { 'codec-parser': 'LGPL-3.0-or-later' };

/** What the bot runs with, and under which licence: as the lockfile says, else the package that is installed. */
const packages = Object.entries(lock.packages)
  .filter(([path, { dev }]) => path !== '' && dev !== true)
  .map(([path, { license }]) => {
    const file = join(root, path, 'package.json');
    const installed = existsSync(file)
      ? (JSON.parse(readFileSync(file, 'utf8')) as { license?: string })
      : {};
    return { name: path.replace(/^.*node_modules\//, ''), licence: installed.license ?? license };
  });

describe('the licences of what the bot runs with', () => {
  it('are those that were looked at', () => {
    expect(packages.length).toBeGreaterThan(150);
    const others = packages.filter(
      // The forms of a package for other systems, of which one is installed and looked at.
      ({ name, licence = '' }) =>
        !known.includes(licence) && lookedAt[name] !== licence && !name.startsWith('@napi-rs/canvas-'),
    );
    expect(others).toEqual([]);
  });

  it('are named in the README where they ask for more', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    for (const [name, licence] of Object.entries(lookedAt)) {
      if (packages.some((one) => one.name === name)) expect(readme).toContain(`\`${name}\` (${licence})`);
    }
  });
});
