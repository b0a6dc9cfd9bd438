import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { basename, join } from 'node:path';

// `npm run bench`: every benchmark of this folder, and those beside others' libraries, one after the other, each in a process of its own.
const folder = import.meta.dirname;
const own = readdirSync(folder).filter((name) => name.endsWith('.ts') && name !== 'main.ts');
const benchmarks = [...own.sort(), '../peers/discord-memory.ts', '../peers/stream-bench.ts'];
const [load = 0] = loadavg();
const model = cpus()[0]?.model ?? 'unknown processor';
console.log(`${cpus().length} × ${model}, Node ${process.version}, load ${load.toFixed(1)}`);

for (const benchmark of benchmarks) {
  console.log(`\n# ${basename(benchmark, '.ts')}`);
  const { status } = spawnSync(process.execPath, ['--expose-gc', join(folder, benchmark)], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
