import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';

// `npm run bench`: every benchmark of this folder, one after the other, each in a process of its own.
const folder = import.meta.dirname;
const benchmarks = readdirSync(folder).filter((name) => name.endsWith('.ts') && name !== 'main.ts');
const [load = 0] = loadavg();
const model = cpus()[0]?.model ?? 'unknown processor';
console.log(`${cpus().length} × ${model}, Node ${process.version}, load ${load.toFixed(1)}`);

for (const benchmark of benchmarks.sort()) {
  console.log(`\n# ${benchmark.replace('.ts', '')}`);
  const { status } = spawnSync(process.execPath, ['--expose-gc', join(folder, benchmark)], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
