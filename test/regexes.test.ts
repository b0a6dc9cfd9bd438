import { describe, expect, it } from 'vitest';
import { costlyAttack } from './regexes/cost.ts';
import { sourceRegexes } from './regexes/source-regexes.ts';

/** What patterns are made of that stand in no constant beside them, by the code that names it. */
const samples = {
  inherit: 'inherit',
  "source.replace(/^\\^|\\$$/g, '')": '[A-Za-z0-9_+/-]{1,64}',
  flags: '',
  "[`<@!?${me}>`, ...roles].join('|')": '<@!?123456789012345678>|<@&123456789012345678>',
  width: '20',
  prefix: 'acme-',
  collector: 'troupe',
  names: 'duration|ratio|size',
  // A copy of a literal, which is tried by itself.
  pattern: 'copy',
  size: '500',
  english: 'dogs?|cats?',
  chinese: '狗|猫',
};

const regexes = sourceRegexes(samples);

describe('every regular expression of the code', () => {
  it('is found', () => {
    expect(regexes.length).toBeGreaterThan(300);
  });

  it.each(regexes)('is linear on hostile input: $regex ($place)', ({ regex }) => {
    expect(costlyAttack(regex)).toBeUndefined();
  });
});

describe('the search for costly ones', () => {
  it.each([
    /^(a+)+$/,
    /\[([^\]]*)\]\([^)]*\)/g,
    /<@([UW]\w+)(?:\|([^>]*))?>/g,
    /\s+$/,
    /^[ \t]*\|?[ \t]*-/,
    /^`{3}[ \t]*([^\n]*)$/,
  ])('finds %s', (regex) => {
    expect(costlyAttack(regex)?.took).toBeGreaterThan(15);
  });
});
