import { describe, expect, test } from 'vitest';
import { describeFault, type Fault } from '../../../src/service/index.ts';

/** Each row is one rule of the description: a request that keeps it at its very edge, one that breaks it, and how. */
export type Row = readonly [rule: string, keeps: object, breaks: object, fault: Fault];

/** Shows that a request of `base` keeps every rule, and that each row's change breaks one. */
export function showRules(
  name: string,
  validate: (value: unknown) => Fault[],
  base: object,
  rows: Row[],
): void {
  describe(`the rules of ${name}`, () => {
    test.each(rows)('%s', (_, keeps, breaks, fault) => {
      expect(validate({ ...base, ...keeps })).toEqual([]);
      expect(validate({ ...base, ...breaks })).toEqual([fault]);
    });

    test.each([undefined, null, 7, 'text', []])('a request is an object, not %j', (value) => {
      expect(validate(value)).toMatchObject([{ field: 'request', code: 'type', allowed: ['object'] }]);
    });

    test('every fault has a line that names field, limit and value', () => {
      for (const [, , , fault] of rows) {
        const line = describeFault(fault);
        expect(line).toContain(fault.field);
        expect(line).not.toContain('undefined');
        if (fault.given !== undefined) expect(line).toContain(String(fault.given));
        if (fault.limit !== undefined) expect(line).toContain(String(fault.limit));
      }
    });
  });
}
