/**
 * What another process's lock on the database costs the event loop: it holds the write lock for five seconds, and
 * the longest time is measured for which the loop did nothing else. Under 100 ms is the aim. Then how many rows a
 * second are written, each on the disk before the next, and in a transaction of their own.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Database, openDatabase } from '../../src/store/index.ts';

const held = 5_000;
const holder = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(process.argv[1]);
  database.exec('begin immediate');
  process.stdout.write('held');
  setTimeout(() => database.exec('commit'), ${held});
`;

const folder = await mkdtemp(join(tmpdir(), 'troupe-bench-'));
const file = join(folder, 'troupe.db');
const database = await openDatabase(`sqlite:${file}`);
let written = 0;
const write = (into: Database) =>
  into
    .insertInto('keyv')
    .values({ key: `key${written++}`, value: '1', expires: null })
    .execute();

const other = spawn(process.execPath, ['-e', holder, file], { stdio: ['ignore', 'pipe', 'inherit'] });
await once(other.stdout, 'data');
let longest = 0;
let before = performance.now();
const timer = setInterval(() => {
  const now = performance.now();
  longest = Math.max(longest, now - before);
  before = now;
}, 5);
const began = performance.now();
await Promise.all(Array.from({ length: 50 }, () => write(database)));
const waited = performance.now() - began;
await setTimeout(20);
clearInterval(timer);
console.log(`a foreign lock of ${held} ms: 50 writes done after ${waited.toFixed(0)} ms,`);
console.log(`the event loop was never held longer than ${longest.toFixed(0)} ms`);

for (const [name, one] of [
  ['single writes', () => write(database)],
  ['transactions', () => database.transaction().execute(write)],
] as const) {
  const start = performance.now();
  for (let count = 0; count < 500; count++) await one();
  console.log(`${name}: ${((500 * 1_000) / (performance.now() - start)).toFixed(0)} a second`);
}
await database.destroy();
await rm(folder, { recursive: true });
