import type { Samples } from './source-regexes.ts';

/* oxlint-disable no-template-curly-in-string -- the names are code */

/** What patterns are made of that stand in no constant beside them, by the code that names it. */
export const samples: Samples = {
  inherit: 'inherit',
  "source.replace(/^\\^|\\$$/g, '')": '[A-Za-z0-9_+/-]{1,64}',
  flags: '',
  "[...marked, own].join('|')":
    '\\|\\| ?(?:<@!?123456789012345678>|<@&123456789012345678>) ?\\|\\||\\*\\* ?(?:<@!?123456789012345678>|<@&123456789012345678>) ?\\*\\*|<@!?123456789012345678>|<@&123456789012345678>',
  width: '20',
  'width - 1': '19',
  '/\\p{Script=Han}/u.test(word) ? word : `\\\\b(?:${word})\\\\b`': '\\b(?:dogs?|puppy)\\b',
  prefix: 'acme-',
  "words.join('|')": '(?<![\\p{L}\\p{N}])slur(?![\\p{L}\\p{N}])|坏话',
  collector: 'troupe',
  names: 'duration|ratio|size',
  // A copy of a literal, which is tried by itself.
  pattern: 'copy',
  // Of the ways in which people give a command, which are tried by themselves.
  begins: 'copy',
  size: '500',
  kind: 'video',
  user: 'U0123ABCD',
  "idPrefix.replace('.', '\\\\.')": 'message\\.',
};
