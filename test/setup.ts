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

// scratch: profiles
import { Session } from 'node:inspector';
import { writeFileSync, mkdirSync } from 'node:fs';
const g = globalThis as any;
const fileOf = expect.getState().testPath ?? '';
if (!g.profSession) {
  g.profSession = new Session();
  g.profSession.connect();
  g.profSession.post('Profiler.enable');
  g.profSession.post('Profiler.setSamplingInterval', { interval: 2000 });
}
g.profSession.post('Profiler.start');
afterAll(() => {
  g.profSession.post('Profiler.stop', (error: any, result: any) => {
    if (error) return;
    mkdirSync('/tmp/work/profs', { recursive: true });
    writeFileSync(`/tmp/work/profs/${fileOf.replace(/.*\/test\//, '').replaceAll('/', '+')}.cpuprofile`, JSON.stringify(result.profile));
  });
});
