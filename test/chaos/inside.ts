import fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import sqlite from 'node:sqlite';
import { isMainThread } from 'node:worker_threads';
import { mediaTimeLimit } from '../../src/media/run-in-worker.ts';
import { acknowledgeLimit } from '../../src/platforms/slack/connection/http-transport.ts';

/**
 * Loaded into the bot's process before the bot (`node --import`): the troubles that only the inside can have, on
 * request of the test's process. Time runs `CHAOS_SCALE` times as fast, so that ten minutes are a test's length.
 */
export type Request =
  /** The machine's clock jumps by so many milliseconds. */
  | { readonly do: 'step-clock'; readonly milliseconds: number }
  /** What lies on a full disk from now on; nothing where empty. */
  | { readonly do: 'disk-full'; readonly what: readonly FullDisk[] }
  /** The disk of the database cannot be reached: every statement fails, as on a network disk that is away. */
  | { readonly do: 'database-gone'; readonly gone: boolean }
  | { readonly do: 'look' };

/** `database`: the file SQLite writes; `files`: everything else the bot writes; `log`: its output. */
export type FullDisk = 'database' | 'files' | 'log';

interface NodeSqliteError extends Error {
  readonly code: 'ERR_SQLITE_ERROR';
  readonly errcode: number;
  readonly errstr: string;
}

/** What the process holds, after a garbage collection, and how its event loop did since the last look. */
export interface Look {
  /** In bytes. */
  readonly heap: number;
  readonly resident: number;
  /** Open timers, sockets and other handles. */
  readonly handles: number;
  /** The same by kind. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Event loop delay that 99 of 100 samples stay below, in milliseconds. */
  readonly delay99: number;
  /**
   * The same without the time in which other processes had the processor: how much of each delay the thread computed
   * itself or waited for its disk. What is left of the figure on a machine that has other work.
   */
  readonly ownDelay99: number;
  /** Processor time the process has used so far, in milliseconds. */
  readonly processor: number;
}

const scale = Number(process.env.CHAOS_SCALE ?? 1);
const began = Date.now();
let step = 0;
const RealDate = Date;
const realNow = Date.now.bind(Date);
const now = () => Math.round(began + (realNow() - began) * scale) + step;
const realPerformanceNow = performance.now.bind(performance);
performance.now = () => realPerformanceNow() * scale;

globalThis.Date = class extends RealDate {
  constructor(...parts: [] | [number]) {
    super(...((parts.length === 0 ? [now()] : parts) as [number]));
  }

  static override now(): number {
    return now();
  }
} as DateConstructor;

// Libraries take their timers from here and from there; all of them go as fast as the clock.
const timers = createRequire(import.meta.url)('node:timers') as typeof import('node:timers');
const promised = createRequire(import.meta.url)('node:timers/promises') as {
  setTimeout: (delay?: number, ...rest: unknown[]) => Promise<unknown>;
};
const { setTimeout: realTimeout, setInterval: realInterval } = timers;
const { setTimeout: realPromised } = promised;
/** Limits on what the machine itself does, which does not work faster. */
const machinePaced: ReadonlySet<unknown> = new Set([acknowledgeLimit, mediaTimeLimit]);
const scaled = (delay: unknown) => (machinePaced.has(delay) ? Number(delay) : Number(delay ?? 1) / scale);
const timeout = (task: () => void, delay?: number, ...rest: []) => realTimeout(task, scaled(delay), ...rest);
const interval = (task: () => void, delay?: number, ...rest: []) =>
  realInterval(task, scaled(delay), ...rest);
Object.assign(timers, { setTimeout: timeout, setInterval: interval });
Object.assign(globalThis, { setTimeout: timeout, setInterval: interval });
promised.setTimeout = (delay, ...rest) => realPromised(scaled(delay), ...rest);

const full = new Set<FullDisk>();
const noSpace = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
const isOnFullDisk = (descriptor: number) =>
  descriptor === 1 || descriptor === 2 ? full.has('log') : full.has('files');
const { write, writev, writeSync } = fs;
type Write = (descriptor: number, ...rest: unknown[]) => unknown;
const refusing =
  (real: Write): Write =>
  (descriptor, ...rest) => {
    if (!isOnFullDisk(descriptor)) return real(descriptor, ...rest);
    const done = rest.at(-1) as (error: Error) => void;
    return setImmediate(() => done(noSpace()));
  };
Object.assign(fs, {
  write: refusing(write as Write),
  writev: refusing(writev as Write),
  writeSync: (descriptor: number, ...rest: unknown[]) => {
    if (isOnFullDisk(descriptor)) throw noSpace();
    return (writeSync as Write)(descriptor, ...rest);
  },
});

// SQLite itself says that its disk is full, with all that follows: its file may not grow any more.
const mostPages = 1_073_741_823;
const databases = new Set<WeakRef<sqlite.DatabaseSync>>();
const { DatabaseSync } = sqlite;
class WatchedDatabase extends DatabaseSync {
  constructor(...parts: ConstructorParameters<typeof DatabaseSync>) {
    super(...parts);
    databases.add(new WeakRef(this));
  }
}
Object.assign(sqlite, { DatabaseSync: WatchedDatabase });

let databaseIsGone = false;
const ioError = 10;
const gone = (): NodeSqliteError =>
  Object.assign(new Error('disk I/O error'), {
    code: 'ERR_SQLITE_ERROR' as const,
    errcode: ioError,
    errstr: 'disk I/O error',
  });
/** Every call of a method fails while the database is gone. */
function failWhileGone(prototype: object, methods: readonly string[]): void {
  for (const method of methods) {
    const real = Reflect.get(prototype, method) as (...values: unknown[]) => unknown;
    Reflect.set(prototype, method, function (this: unknown, ...values: unknown[]) {
      if (databaseIsGone) throw gone();
      return real.apply(this, values);
    });
  }
}
failWhileGone(sqlite.StatementSync.prototype, ['all', 'get', 'iterate', 'run']);
failWhileGone(DatabaseSync.prototype, ['exec', 'prepare']);
syncBuiltinESMExports();

function limitDatabases(isFull: boolean): void {
  for (const reference of databases) {
    const database = reference.deref();
    if (!database?.isOpen) continue;
    const pages = isFull ? Number(database.prepare('pragma page_count').get()?.page_count) : mostPages;
    database.exec(`pragma max_page_count = ${Math.max(1, pages)}`);
  }
}

/** Milliseconds between samples. */
const resolution = 5;
const delays = monitorEventLoopDelay({ resolution });
delays.enable();

let diskTime = 0;
const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (this: sqlite.DatabaseSync, statement: string): void {
  const began = realPerformanceNow();
  try {
    exec.call(this, statement);
  } finally {
    diskTime += realPerformanceNow() - began;
  }
};

const ownDelays = createHistogram();
const processorTime = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e3;
};
let last = { at: realPerformanceNow(), own: processorTime() + diskTime };
if (isMainThread)
  realInterval(() => {
    const sample = { at: realPerformanceNow(), own: processorTime() + diskTime };
    const own = Math.min(sample.at - last.at, sample.own - last.own);
    ownDelays.record(Math.max(1, Math.round(own * 1e3)));
    last = sample;
  }, resolution).unref();

function look(): Look {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const delay99 = delays.percentile(99) / 1e6;
  const ownDelay99 = ownDelays.percentile(99) / 1e3;
  delays.reset();
  ownDelays.reset();
  const { user, system } = process.cpuUsage();
  const resources = process.getActiveResourcesInfo();
  const kinds = Object.fromEntries(
    [...Map.groupBy(resources, (kind) => kind)].map(([kind, those]) => [kind, those.length]),
  );
  return {
    heap: heapUsed,
    resident: rss,
    handles: resources.length,
    kinds,
    delay99,
    ownDelay99,
    processor: (user + system) / 1e3,
  };
}

process.on('message', (request: Request) => {
  if (request.do === 'step-clock') step += request.milliseconds;
  if (request.do === 'disk-full') {
    full.clear();
    for (const what of request.what) full.add(what);
    limitDatabases(full.has('database'));
  }
  if (request.do === 'database-gone') databaseIsGone = request.gone;
  process.send?.(request.do === 'look' ? look() : { done: true });
});
// The channel alone keeps no process alive.
process.channel?.unref();
