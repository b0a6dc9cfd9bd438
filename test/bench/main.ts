import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { basename, join } from 'node:path';

// `npm run bench`: every benchmark of this folder, and those beside others' libraries, one after the other, each in a process of its own.
// `-- --quick`: whole bots beside each other, and decoding, in two minutes.
const folder = import.meta.dirname;
const own = readdirSync(folder).filter((name) => name.endsWith('.ts') && name !== 'main.ts');
const isQuick = process.argv.includes('--quick');
const benchmarks = isQuick
  ? ['answers.ts', '../peers/stream-bench.ts']
  : [...own.sort(), '../peers/discord-memory.ts', '../peers/stream-bench.ts'];
const [load = 0] = loadavg();
const model = cpus()[0]?.model ?? 'unknown processor';
console.log(`${cpus().length} × ${model}, Node ${process.version}, load ${load.toFixed(1)}`);

for (const benchmark of benchmarks) {
  console.log(`\n# ${basename(benchmark, '.ts')}`);
  const options = isQuick && benchmark === 'answers.ts' ? ['--quick'] : [];
  const { status } = spawnSync(process.execPath, ['--expose-gc', join(folder, benchmark), ...options], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
