import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { Look } from '../chaos/inside.ts';
import { scaledClock } from '../chaos/scaled-clock.ts';
import { BotProcess } from '../crash/bot-process.ts';
import { seededRandom } from '../crash/random.ts';
import { CountingService } from '../crash/service.ts';
import { createDiscordSoakPlace, createSlackSoakPlace, type SoakPlace } from './places.ts';

const preloaded = fileURLToPath(new URL('../chaos/inside.ts', import.meta.url));
/** All that was taken must be over within so long after the last command, in milliseconds of the bot's time. */
const patience = 20 * 60_000;
/** So long what is under way is let end before a look between, in milliseconds: what waits for its next try stays. */
const pauseForLook = 20_000;

export interface SoakOptions {
  readonly commands: number;
  /** The share of commands with which something goes wrong. */
  readonly faults: number;
  readonly seed: number;
  /** Commands under way at once. */
  readonly atOnce: number;
  /** So often memory is looked at, in commands. */
  readonly lookEvery: number;
  /** Time passes so many times as fast for the bot. */
  readonly scale: number;
  readonly onLook?: (given: number, look: Look) => void;
  /** Told of every line the bot logs. */
  readonly onLine?: (line: string) => void;
}

export interface SoakReport {
  readonly given: number;
  /** Acknowledged by the bot in time. */
  readonly taken: number;
  /** What was not, and why. */
  readonly missed: readonly string[];
  /** Milliseconds within which 99 of 100 acknowledgements came. */
  readonly acknowledged99: number;
  readonly done: number;
  readonly failed: number;
  /** Taken, and not ended when all should have been over. */
  readonly unfinished: readonly string[];
  readonly looks: readonly (Look & { readonly given: number })[];
  /** How the process ended, where it did so by itself. */
  readonly ended: string | undefined;
  readonly log: string;
}

/** Gives many commands over both platforms to one bot, and looks at what it keeps of them. */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-soak-'));
  const service = new CountingService(20);
  const clock = scaledClock(options.scale);
  const places = [await createDiscordSoakPlace(clock), await createSlackSoakPlace(clock)] as const;
  try {
    const { url, key } = await service.start();
    const databaseFile = join(folder, 'troupe.db');
    const bot = await BotProcess.start(
      {
        ...places[0].environment,
        ...places[1].environment,
        SERVICE_BASE_URL: url,
        SERVICE_API_KEY: key,
        DATABASE_URL: `sqlite:${databaseFile}`,
        CONFIRM_OVER_CREDITS: '1000000',
        RENDERS_PER_PERSON: '1000',
        CHAOS_SCALE: String(options.scale),
        LOG_LEVEL: 'info',
        PORT: '0',
      },
      ['--expose-gc', '--import', preloaded],
      { waitsForReady: false, ...(options.onLine && { onLine: options.onLine }) },
    );
    try {
      return await run(options, bot, databaseFile, places);
    } finally {
      await bot.kill();
    }
  } finally {
    await Promise.all([service.close(), ...places.map((place) => place.close())]);
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(
  { commands, faults, seed, atOnce, lookEvery, scale, onLook }: SoakOptions,
  bot: BotProcess,
  databaseFile: string,
  places: readonly SoakPlace[],
): Promise<SoakReport> {
  for (const place of places) await place.begin(bot.url);
  await bot.ready();
  const random = seededRandom(seed);
  const jobs = new Jobs(databaseFile);
  const looks: (Look & { readonly given: number })[] = [];
  const missed: string[] = [];
  const waits: number[] = [];
  const underWay = new Set<Promise<void>>();
  const settle = async (milliseconds: number) => {
    await Promise.all(underWay);
    const until = Date.now() + milliseconds;
    while (jobs.running() > 0 && Date.now() < until) await pause(100);
  };
  try {
    for (let given = 1; given <= commands && bot.ended === undefined; given++) {
      const place = places[given % places.length] as SoakPlace;
      const [command, text] = commandOf(given, random, faults);
      if (random() < faults / 2) place.disturb(random());
      const begun = performance.now();
      const done = place.give(given, command, text).then(
        (taken) => {
          if (taken.missed === undefined) waits.push(performance.now() - begun);
          else missed.push(`${place.name} ${given} ${command}: ${taken.missed}`);
        },
        (error: unknown) => void missed.push(`${place.name} ${given} ${command}: ${error}`),
      );
      const counted: Promise<void> = done.finally(() => underWay.delete(counted));
      underWay.add(counted);
      while (underWay.size >= atOnce || (given % 16 === 0 && jobs.running() >= atOnce)) await pause(5);
      if (given % lookEvery !== 0 && given !== commands) continue;
      await settle(given === commands ? patience / scale : pauseForLook);
      for (const each of places) each.forget();
      const look = await bot.ask<Look>({ do: 'look' });
      looks.push({ ...look, given });
      onLook?.(given, look);
    }
    const { done, failed } = jobs.counts();
    const unfinished = jobs.unfinished();
    const acknowledged99 = waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? 0;
    return {
      given: commands,
      taken: waits.length,
      missed,
      acknowledged99,
      done,
      failed,
      unfinished,
      looks,
      ended: bot.ended,
      log: bot.log,
    };
  } finally {
    jobs.close();
  }
}

const troubles: Readonly<Record<string, readonly string[]>> = {
  ask: ['fail 503', 'rate limit 1 once', 'error', 'break off', 'end early', 'length', 'filter'],
  speak: ['fail 500', 'rate limit 1 once', 'break off', 'filter'],
  imagine: ['fail 500', 'rate limit 1 once', 'error', 'break off', 'filter', 'gone'],
  video: ['fail 500', 'rate limit 1 once', 'error', 'break off', 'filter', 'gone'],
};
/** So that each kind of call is near the key's own limit of it: fewer videos than images, and answers most of all. */
const shares = { ask: 12, speak: 3, imagine: 3, video: 1, help: 3, usage: 2 };
const names = Object.entries(shares).flatMap(([name, share]) => Array<string>(share).fill(name));

/** A command, and now and then words with which the sandbox makes it fail. */
function commandOf(index: number, random: () => number, faults: number): readonly [string, string] {
  const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const name = any(names);
  const trouble = random() < faults ? ` [[${any(troubles[name] ?? ['fail'])}]]` : '';
  const wish =
    name === 'ask' ? `Tell me in ${20 + Math.floor(random() * 60)} words about ${index}` : `soak ${index}`;
  return [name, `${wish}${trouble}`];
}

/** The commands on record, read while the bot runs. */
class Jobs {
  readonly #database: DatabaseSync;
  /** Every render up to this one has ended. */
  #ended = 0;

  constructor(file: string) {
    this.#database = new DatabaseSync(file, { readOnly: true });
  }

  /** Commands and renders that have not ended. */
  running(): number {
    const jobs = this.#database.prepare("select count(*) as count from jobs where state = 'running'").get();
    const renders = this.#database
      .prepare(
        `select count(*) as count, min(rowid) as first, (select max(rowid) from renders) as last
         from renders where rowid > ? and delivered is null`,
      )
      .get(this.#ended);
    // A day has many of them, and is asked about often.
    this.#ended = renders?.first === null ? Number(renders.last ?? 0) : Number(renders?.first) - 1;
    return Number(jobs?.count) + Number(renders?.count);
  }

  /** What has not ended, in words. */
  unfinished(): readonly string[] {
    const rows = this.#database
      .prepare(
        `select jobs.id, jobs.command, jobs.state, jobs.options, jobs.address, renders.state as render
         from jobs left join renders on renders.id = jobs.id
         where jobs.state = 'running' or (renders.id is not null and renders.delivered is null)`,
      )
      .all();
    return rows.map((row) => Object.values(row).join(' '));
  }

  counts(): { readonly done: number; readonly failed: number } {
    const rows = this.#database.prepare('select state, count(*) as count from jobs group by state').all();
    const of = (state: string) => Number(rows.find((row) => row.state === state)?.count ?? 0);
    return { done: of('done'), failed: of('failed') };
  }

  close(): void {
    this.#database.close();
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** The first looks are of a process that is still filling its caches. */
const warmUp = 0.2;

/** How much the heap grows, in bytes for each command, by least squares over the looks after the warm-up. */
export function heapSlope(looks: SoakReport['looks']): number {
  const points = looks
    .slice(Math.ceil(looks.length * warmUp))
    .map(({ given, heap }) => [given, heap] as const);
  const mean = (pick: 0 | 1) => points.reduce((sum, point) => sum + point[pick], 0) / points.length;
  const [middle, height] = [mean(0), mean(1)];
  const spread = points.reduce((sum, [given]) => sum + (given - middle) ** 2, 0);
  const together = points.reduce((sum, [given, heap]) => sum + (given - middle) * (heap - height), 0);
  return spread === 0 ? 0 : together / spread;
}
