import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import type { Finding } from './fuzz.test.ts';

/**
 * `npm run test:fuzz -- [--cases N] [--seed N] [--edge NAME]`: many cases at every edge; prints what it found.
 * Exit status 1 where something is not as it must be.
 */
const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    edge: { type: 'string', default: '' },
  },
});
const folder = await mkdtemp(join(tmpdir(), 'troupe-fuzz-'));
const report = join(folder, 'findings');
const env = { FUZZ_CASES: values.cases, FUZZ_SEED: values.seed, FUZZ_EDGE: values.edge, FUZZ_REPORT: report };
const config = fileURLToPath(new URL('../vitest.config.ts', import.meta.url));
const vitest = await startVitest('test', ['test/fuzz/fuzz.test.ts'], {
  config,
  // Others would try the same once more.
  project: ['shared'],
  env,
  watch: false,
  testTimeout: 0,
  reporters: ['verbose'],
});
await vitest.close();
const lines = (await readFile(report, 'utf8').catch(() => '')).split('\n').filter(Boolean);
const findings = lines.map((line) => JSON.parse(line) as Finding);
await rm(folder, { recursive: true });
console.table(findings.map(({ found, ...figures }) => figures));
for (const { edge, found } of findings) if (found) console.log(`\n${edge}:\n${found}`);
process.exitCode ||= findings.length > 0 && findings.every(({ failures }) => failures === 0) ? 0 : 1;
