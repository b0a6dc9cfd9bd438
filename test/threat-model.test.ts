import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/threat-model.md'), 'utf8');
const named = [...page.matchAll(/`(test\/[\w./-]+\.test\.ts)`: “([^”]+)”/g)].map(
  ([, file = '', title = '']) => [file, title] as const,
);

/** Whether a test of this title is in a file, as its source writes it. */
function hasTest(file: string, title: string): boolean {
  const source = readFileSync(join(root, file), 'utf8');
  return [`'${title}'`, `"${title}"`, `\`${title}\``].some((quoted) => source.includes(quoted));
}

describe('the threat model', () => {
  it.each(named)('names a test that is there: %s, %s', (file, title) => {
    expect(hasTest(file, title)).toBe(true);
  });

  it('names every test in the form that is looked for', () => {
    expect(named.length).toBe(page.match(/\.test\.ts/g)?.length);
    expect(named.length).toBeGreaterThan(30);
  });

  it('names a test for every thing that cannot be done, and for every accident', () => {
    const claims = page
      .split('## Accepted risks')[0]!
      .split('\n')
      .filter((line) => line.startsWith('- '));
    expect(claims.length).toBeGreaterThan(30);
    expect(claims.filter((line) => !/`test\/[\w./-]+\.test\.ts`: “/.test(line))).toEqual([]);
  });

  it('says what is accepted', () => {
    for (const who of ['stranger', 'member', 'administrator', 'operator', 'model', 'network', 'neighbour']) {
      expect(page).toMatch(new RegExp(`^## (?:A|An|The) ${who}`, 'm'));
    }
    expect(page).toContain('## Accepted risks');
  });
});
