import { appendFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLong } from '../long-form.ts';
import { edges } from './edges/index.ts';
import { regexes } from './edges/regexes.ts';

/** Cases an edge; `npm run test:fuzz` asks for more, and wants to be told what came of them. */
const cases = Number(process.env.FUZZ_CASES || (isLong ? 300 : 60));
const { FUZZ_REPORT: report, FUZZ_EDGE: wanted = '' } = process.env;

const isShort = !isLong && !process.env.FUZZ_CASES;
/** A few cases tell nothing of hundreds of patterns: `test/regexes.test.ts` tries each. */
const tried = edges.filter((one) => one.name.includes(wanted) && !(isShort && one === regexes));

/** What came of one edge. */
export interface Finding {
  readonly edge: string;
  readonly cases: number;
  readonly failures: number;
  readonly seed: number;
  readonly seconds: number;
  readonly found?: string;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

describe('whatever comes in', () => {
  it.for(tried)('at the edge $name', async ({ name, times = 1, open }) => {
    const begun = performance.now();
    const { property, close } = await open();
    // A timer of NaN milliseconds is over at once.
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    try {
      const details = await fc.check(property, { numRuns: process.env.FUZZ_CASES ? cases : cases * times });
      const finding: Finding = {
        edge: name,
        cases: details.numRuns,
        failures: details.failed ? 1 : 0,
        seed: details.seed,
        seconds: Math.round((performance.now() - begun) / 100) / 10,
        ...(details.failed && {
          found: `${fc.defaultReportMessage(details)}\n${stackOf(details.errorInstance)}`,
        }),
      };
      if (report) await appendFile(report, `${JSON.stringify(finding)}\n`);
      if (details.failed) throw new Error(finding.found);
      expect(warnings).toEqual([]);
    } finally {
      process.off('warning', onWarning);
      await close?.();
    }
  });
});
