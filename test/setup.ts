import { configureGlobal } from 'fast-check';
import { afterAll, afterEach, expect } from 'vitest';
import { endFile, endTest } from './at-end.ts';
import { timeFile } from './processor-time.ts';

/** The same examples in every run; `FUZZ_SEED=…` draws others. */
const seed = Number(process.env.FUZZ_SEED || 20_260_101);
if (!Number.isSafeInteger(seed)) throw new Error('FUZZ_SEED: allowed is an integer');

configureGlobal({ seed });

// Registered first, so that it's called last.
afterAll(timeFile(expect.getState().testPath ?? ''));
afterEach(endTest);
afterAll(endFile);
