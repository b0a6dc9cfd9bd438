/**
 * What the tests cost, by folder and by file: `npm run test:times`, `npm run test:times -- test/commands`. Everything
 * behind `--` goes to vitest.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { childrenSeconds, type FileTime } from './processor-time.ts';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'troupe-times-'));
const times = join(folder, 'times');

const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const began = performance.now();
const run = spawn(
  process.execPath,
  [vitest, 'run', '--config', 'test/vitest.config.ts', '--reporter=dot', ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit', env: { ...process.env, TEST_TIMES: times } },
);
const [status] = await once(run, 'exit');
const wall = (performance.now() - began) / 1000;

const files = readFileSync(times, 'utf8')
  .trim()
  .split('\n')
  .map((line): FileTime => JSON.parse(line))
  .map((time) => ({ ...time, file: relative(root, time.file) }));
rmSync(folder, { recursive: true });

/** `test/e2e/discord` for what lies there or deeper, `test` for files beside the folders. */
const folderOf = (file: string) => dirname(file).split('/').slice(0, 3).join('/');

const rows = (of: ReadonlyMap<string, readonly FileTime[]>) =>
  [...of]
    .map(([name, list]) => ({
      name,
      wall: list.reduce((sum, time) => sum + time.wall, 0),
      processor: list.reduce((sum, time) => sum + time.processor, 0),
    }))
    .toSorted((one, other) => other.processor - one.processor)
    .map((row) => `${row.wall.toFixed(1).padStart(8)}  ${row.processor.toFixed(1).padStart(9)}  ${row.name}`);

const head = '    wall  processor';
console.log(['', head, ...rows(Map.groupBy(files, ({ file }) => folderOf(file)))].join('\n'));
console.log(['', head, ...rows(Map.groupBy(files, ({ file }) => file)).slice(0, 40)].join('\n'));
console.log(`\n${wall.toFixed(0)} s in all, ${childrenSeconds().toFixed(0)} s of processor`);
process.exitCode = status ?? 1;
