import assert from 'node:assert/strict';
import fc from 'fast-check';
import { costOf, limit } from '../../regexes/cost.ts';
import { samples } from '../../regexes/samples.ts';
import { sourceRegexes } from '../../regexes/source-regexes.ts';
import { anyText, type Edge } from '../edge.ts';

/** Texts that repeat anything, against every regular expression of the code. */
export const regexes: Edge = {
  name: 'regular expressions',
  async open() {
    const pump = fc.oneof(
      anyText.filter((text) => text !== ''),
      fc.string({ minLength: 1, maxLength: 3 }),
    );
    const property = fc.property(
      fc.constantFrom(...sourceRegexes(samples)),
      fc.record({ before: anyText, pump, after: anyText }),
      ({ regex, place }, attack) => {
        const took = costOf(regex, attack);
        assert.ok(took <= limit, `${place} took ${took} ms for ${JSON.stringify(attack)}`);
      },
    );
    return { property };
  },
};
