import { describe, expect, it } from 'vitest';
import { commands } from './fakes/commands.ts';
import { isLong } from './long-form.ts';
import { costlyAttack } from './regexes/cost.ts';
import { samples } from './regexes/samples.ts';
import { sourceRegexes } from './regexes/source-regexes.ts';

const regexes = sourceRegexes(samples);
/** One of each; several places may have the same. */
const different = [...new Map(regexes.map((found) => [String(found.regex), found])).values()];
/** What repeats nothing is linear. */
const repeating = different.filter(({ regex }) => /[*+{]/.test(regex.source));

describe('every regular expression of the code', () => {
  it('is found', () => {
    expect(regexes.length).toBeGreaterThan(300);
  });

  it.each(repeating)('is linear on hostile input: $regex ($place)', ({ regex }) => {
    expect(costlyAttack(regex)).toBeUndefined();
  });
});

describe('every pattern of how people give a command', () => {
  const patterns = commands.flatMap(({ forms = [] }) =>
    forms.flatMap(({ begins, order, unless, phrase }) =>
      [begins && `^(?:${begins})`, order, unless, phrase].filter((one) => one !== undefined),
    ),
  );
  it.each(patterns)('is linear on hostile input: %s', (pattern) => {
    expect(costlyAttack(new RegExp(pattern, 'iu'))).toBeUndefined();
  });
});

describe('the search for costly ones', () => {
  it.each([
    /^(a+)+$/,
    /<@([UW]\w+)(?:\|([^>]*))?>/g,
    // Exponential, each only for what is longer than the one before.
    /^(?:b|b|b)+$/,
    /^(?:<@U1\||<@U1|\|)+$/,
    /^(?:a{5}|a{6})+$/,
    ...(isLong ? [/\s+$/, /\[([^\]]*)\]\([^)]*\)/g, /^[ \t]*\|?[ \t]*-/, /^`{3}[ \t]*([^\n]*)$/] : []),
  ])('finds %s', (regex) => {
    expect(costlyAttack(regex)?.took).toBeGreaterThan(15);
  });
});
