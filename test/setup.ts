import { configureGlobal } from 'fast-check';

/** The same examples in every run; `FUZZ_SEED=…` draws others. */
const seed = Number(process.env.FUZZ_SEED || 20_260_101);
if (!Number.isSafeInteger(seed)) throw new Error('FUZZ_SEED: allowed is an integer');

configureGlobal({ seed });
