import { setTimeout as wait } from 'node:timers/promises';
import { vi } from 'vitest';
import { alone } from '../../../src/coordination/index.ts';
import { Credits } from '../../../src/credits/index.ts';
import { KeyedQueue } from '../../../src/lib/clock.ts';
import { LocalFaults } from '../../../src/lib/local-faults.ts';
import type { Job, PlatformAdapter } from '../../../src/port/index.ts';
import { Renders, type RendersDependencies } from '../../../src/renders/index.ts';
import {
  createJobs,
  type Database,
  databaseFiles,
  databaseNow,
  Processes as OnRecord,
} from '../../../src/store/index.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { jobCalled } from '../../fakes/records.ts';
import { unwatched } from '../../fakes/unwatched.ts';
import { patience } from '../../patience.ts';
import { nothingDue, passInDatabase } from './postgres.ts';
import { Place, presenter, ScriptedService } from './service-and-place.ts';

/** One process of the bot: its renders, its clock, and what it reaches. */
export interface TestedProcess {
  readonly name: string;
  readonly renders: Renders;
  readonly clock: FakeClock;
  /** How the service answers this process. */
  readonly service: ScriptedService;
  /** It does nothing more, as one that was killed; whatever it still hears of. */
  kill(): void;
}

/** Processes of one bot on one PostgreSQL database, and the place that all of them post to. */
export class Processes {
  readonly place = new Place();
  readonly #signals = alone().signals;
  readonly #database: Database;
  #locks = new KeyedQueue();
  #draws = 0;
  /** Until when the processes' time has passed, in real time. */
  #passedAt: number | undefined;
  readonly #living: TestedProcess[] = [];
  readonly #all: TestedProcess[] = [];

  constructor(database: Database) {
    this.#database = database;
  }

  /** `resumes`: it goes on at once with what others left, as after a start. */
  async start(
    name: string,
    change: (service: RendersDependencies['service']) => RendersDependencies['service'] = (service) =>
      service,
    adapter: PlatformAdapter = this.place,
    { resumes = true } = {},
  ): Promise<TestedProcess> {
    const database = this.#database;
    const clock = new FakeClock();
    await new OnRecord(database).begin(name, new Map());
    const service = new ScriptedService(clock);
    const log = { info: () => {}, warn: () => {} };
    const renders = new Renders({
      database,
      jobs: createJobs(database),
      service: change(service.dependencies),
      credits: new Credits({ database, clock }),
      adapters: () => adapter,
      presenters: { image: presenter, video: presenter },
      spool: databaseFiles(database)('spool'),
      troubles: new LocalFaults(),
      watch: unwatched(),
      clock,
      random: () => this.#draw(),
      coordination: {
        process: name,
        locks: { run: (key, work) => this.#locks.run(key, work) },
        signals: this.#signals,
      },
      log,
    });
    if (resumes) {
      await renders.resume();
      // Its first look for what's due is over when the next one waits, beside that for what the database has lost.
      await vi.waitUntil(() => clock.pending > 1, patience);
    }
    const kill = () => void this.#living.splice(this.#living.indexOf(process), 1);
    const process = { name, renders, clock, service, kill };
    this.#living.push(process);
    this.#all.push(process);
    return process;
  }

  /**
   * One that lives takes over what another had in hand when it died, or was cut off: its locks are free then. Unless it
   * `wakes` them, it puts them to sleep for whoever looks next.
   */
  async takeOver(from: string, by: TestedProcess, { wakes = true } = {}): Promise<void> {
    this.#locks = new KeyedQueue();
    const theirs = this.#database
      .updateTable('renders')
      .where('process', '=', from)
      .where('delivered', 'is', null);
    if (wakes) {
      await theirs.set({ process: by.name }).execute();
      return void (await by.renders.resume());
    }
    await theirs.set({ process: null, wakes_at: databaseNow(this.#database) }).execute();
  }

  /** Lets time pass for the database and all that live, or only for some of them. */
  async pass(milliseconds: number, living: readonly TestedProcess[] = this.#living): Promise<void> {
    await passInDatabase(this.#database, milliseconds);
    for (const { clock } of living) await clock.advance(milliseconds);
  }

  /**
   * Lets time pass for all, and waits until all that was due by then is done. Their time goes on with the real time that
   * this takes, as the database's does: who waits for a moment before it asks isn't waited for in vain.
   */
  async passInStep(milliseconds: number): Promise<void> {
    await passInDatabase(this.#database, milliseconds);
    const due = await nothingDue(this.#database);
    await this.#passSince(milliseconds);
    const isOver = async () => {
      await this.#passSince();
      return due();
    };
    await vi.waitUntil(isOver, patience);
  }

  /** Lets the processes' time pass as the real time has since the last step, and so much more. */
  async #passSince(more = 0): Promise<void> {
    const now = performance.now();
    const passed = more + now - (this.#passedAt ?? now);
    this.#passedAt = now;
    for (const { clock } of this.#living) await clock.advance(passed);
  }

  /** Lets time pass until something is so. */
  async until(what: () => boolean | Promise<boolean>, step = 1_000): Promise<void> {
    for (let steps = 0; !(await what()); steps++) {
      if (steps > 2_000) throw new Error(`that never comes: ${JSON.stringify(await this.#rows())}`);
      const began = performance.now();
      await this.pass(step);
      // What waits for the database does so in real time, which is longer on a busy machine: some queries may end.
      await wait(1 + 4 * (performance.now() - began));
    }
  }

  /** The renders as they're on record. */
  #rows(): Promise<object[]> {
    return this.#database
      .selectFrom('renders')
      .select(['id', 'state', 'process', 'wakes_at', 'delivered', 'updated_at'])
      .execute();
  }

  /** Stops all, those that were killed, too; `end` ends what they hang in. */
  async close(end = () => {}): Promise<void> {
    const closed = Promise.all(this.#all.map(({ renders }) => renders.close()));
    end();
    await closed;
  }

  /** Evenly spread and the same in every run. */
  #draw(): number {
    this.#draws += 1;
    return (this.#draws * 0.618_033_988_75) % 1;
  }
}

/** A job to begin a render of. */
export const jobOf = (id: string): Job => jobCalled(id, { command: 'video', options: { prompt: 'a cat' } });
