import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { timesIn } from './docs/named-tests.ts';

const page = readFileSync(new URL('../docs/facts.md', import.meta.url), 'utf8');

/** The chapters whose tables are written by hand; the others are written from the test servers. */
const chapters = page.split(/^## /m).filter((chapter) => /^\w+: good to know\n/.test(chapter));

const rowsOf = (chapter: string) =>
  [...chapter.matchAll(/^\| (.+) \| (.+) \|$/gm)]
    .slice(1)
    .map(([, fact = '', test = '']) => ({ fact, test }));

it('the page has such a chapter for each platform', () => {
  expect(chapters.map((chapter) => chapter.split(':')[0])).toEqual(['Discord', 'Slack']);
});

describe.each(chapters.map((chapter) => [chapter.split(':')[0], rowsOf(chapter)] as const))(
  '%s',
  (_, rows) => {
    it('has rows, each once and with its source', () => {
      expect(rows.length).toBeGreaterThan(10);
      expect(new Set(rows.map(({ fact }) => fact)).size).toBe(rows.length);
      expect(rows.filter(({ fact }) => !/ \(.{5,}\)$/.test(fact))).toEqual([]);
    });

    it.each(rows.filter(({ test }) => !/^none: .{15,}/.test(test)))(
      '$fact: its test is there',
      ({ test }) => {
        const [, file = '', title = ''] = /^`([a-z0-9/.-]+\.ts)`: (.+)$/.exec(test) ?? [];
        expect(title, test).not.toBe('');
        expect(timesIn(`test/${file}`, title), `${file}: the title has to be that of one test`).toBe(1);
      },
    );
  },
);
