import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { steps as discordSteps } from '../src/live-check/discord/check.ts';
import { steps as slackSteps } from '../src/live-check/slack/check.ts';

const steps: Readonly<Record<string, readonly { readonly name: string }[]>> = {
  Discord: discordSteps,
  Slack: slackSteps,
};

interface Row {
  readonly rule: string;
  readonly source: string;
  readonly tests: readonly string[];
  readonly steps: readonly string[];
  /** Why the live check cannot try it. */
  readonly untried: string;
}

const page = readFileSync(new URL('../docs/facts.md', import.meta.url), 'utf8');
const chapters = page.split(/^## /m).slice(1);

function rowsOf(chapter: string): Row[] {
  return [...chapter.matchAll(/^\| (.+) \|$/gm)].slice(1).map(([, line = '']) => {
    const [rule = '', source = '', tests = '', step = ''] = line.split(/ \|(?: |$)/);
    const [, untried = ''] = /^not tried: (.+)$/.exec(step.trim()) ?? [];
    const steps = untried === '' ? step.trim().split('<br>').filter(Boolean) : [];
    return { rule, source, tests: tests.split('<br>'), steps, untried };
  });
}

const textOf = (file: string) => {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  return text.replaceAll("\\'", "'");
};

it('the page has a chapter for each platform', () => {
  expect(chapters.map((chapter) => chapter.split('\n')[0])).toEqual(Object.keys(steps));
});

describe.each(chapters.map((chapter) => [chapter.split('\n')[0] ?? '', rowsOf(chapter)] as const))(
  '%s',
  (platform, rows) => {
    it('has rows, each once, and each with where it is known from', () => {
      expect(rows.length).toBeGreaterThan(30);
      expect(new Set(rows.map(({ rule }) => rule)).size).toBe(rows.length);
      expect(rows.filter(({ rule, source }) => rule === '' || source === '')).toEqual([]);
    });

    it.each(rows)('$rule: its tests are there', ({ tests }) => {
      for (const test of tests.filter((one) => !/^not enforced: .{15,}/.test(one))) {
        const [, file = '', title = ''] = /^`([a-z0-9/.-]+\.ts)`: (.+)$/.exec(test) ?? [];
        expect(title, test).not.toBe('');
        const times = textOf(file).split(title).length - 1;
        expect(times, `${file}: the title has to be there, and to be that of one test alone`).toBe(1);
      }
    });

    it('has a step for every rule that is uncertain or only reported, or says why there can be none', () => {
      const open = rows.filter(({ source }) => /uncertain|reported|#\d/.test(source));
      expect(open.length).toBeGreaterThan(5);
      expect(open.filter(({ steps, untried }) => steps.length === 0 && untried.length < 15)).toEqual([]);
    });

    it('names steps that the live check has', () => {
      const names = steps[platform]?.map(({ name }) => name);
      const unknown = rows.flatMap((row) => row.steps).filter((step) => !names?.includes(step));
      expect(unknown).toEqual([]);
    });
  },
);
