import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { timesIn } from './docs/named-tests.ts';

const page = readFileSync(new URL('../docs/threat-model.md', import.meta.url), 'utf8');
/** Files, each followed by words from the titles of its tests: `FILE`: “words”; “words”. */
const files = [...page.matchAll(/`(test\/[\w./-]+\.test\.ts)`: (“[^”]+”(?:; “[^”]+”)*)/g)];
const named = files.flatMap(([, file = '', words = '']) =>
  [...words.matchAll(/“([^”]+)”/g)].map(([, part = '']) => [file, part] as const),
);

describe('the threat model', () => {
  it.each(named)('names a test that is there: %s, %s', (file, words) => {
    expect(timesIn(file, words)).toBe(1);
  });

  it('names every test in the form that is looked for', () => {
    expect(files.length).toBe(page.match(/\.test\.ts/g)?.length);
    expect(named.length).toBe(page.split('## Accepted risks')[0]?.match(/“/g)?.length);
    expect(named.length).toBeGreaterThan(100);
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
