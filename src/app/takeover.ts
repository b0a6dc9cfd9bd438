import type { Coordination } from '../coordination/index.ts';
import { untilDone, type Waits } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import { unlessLocal } from '../lib/local-faults.ts';
import type { Log } from '../ops/index.ts';
import type { Platform, PlatformName } from '../port/index.ts';
import { nothingFound, type Processes, type TakenOver } from '../store/index.ts';
import type { Bot } from './bot.ts';

/** What a takeover needs. */
export interface TakeoverDependencies {
  readonly bot: Pick<Bot, 'recovery' | 'credits' | 'deliveries' | 'removals' | 'renders' | 'sharing'>;
  readonly processes: Pick<Processes, 'takeOver'>;
  readonly coordination: Pick<Coordination, 'process' | 'locks'>;
  /** The platforms that this process runs, and what it receives of each. */
  readonly configured: ReadonlyMap<PlatformName, string>;
  /** Those of them that have started. */
  readonly platforms: () => Iterable<Pick<Platform, 'takeUp'>>;
  /** Aborted when the process is to stop: what was left then stays for another. */
  readonly stopping: AbortSignal;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/** Between tries while the database is away, in milliseconds. */
const waits: Waits = { first: 500, longest: 5_000 };

/** Takes over what dead processes had in hand, and goes on with it: at start, and whenever another process has ended. */
export class Takeover {
  readonly #dependencies: TakeoverDependencies;
  /** Of those who ask while one takeover is under way, one more is enough. */
  #next: Promise<void> | undefined;
  #current: Promise<void> = Promise.resolve();
  /** Kept until it's known whose it became, and this process can go on with it: nobody else would. */
  #found = nothingFound();

  constructor(dependencies: TakeoverDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * The first, at start. `startReceiving` runs in between: budgets must be right for the first new command, and what
   * follows posts. One process takes over at a time, so that the one that tells people about interrupted commands is
   * the one that ends what these left open on the platform.
   */
  first<Started>(startReceiving: () => Promise<Started>): Promise<Started> {
    const { locks } = this.#dependencies.coordination;
    const first = locks.run(lock, async () => {
      const taken = await this.#take();
      const started = await startReceiving();
      await this.#goOn(taken);
      return started;
    });
    this.#current = first.then(
      () => {},
      () => {},
    );
    return first;
  }

  /** Another process has ended, or died. Never rejects. */
  again(): Promise<void> {
    this.#next ??= this.#current.then(() => {
      this.#next = undefined;
      this.#current = this.#again();
      return this.#current;
    });
    return this.#next;
  }

  async #again(): Promise<void> {
    const { coordination, clock, stopping: signal, log } = this.#dependencies;
    const persistence = { clock, waits, signal, failed: unlessLocal };
    const work = async () => {
      if (signal.aborted) return;
      const taken = await this.#take();
      // From here on it's in this process's hands, and nobody else would go on with it.
      await untilDone(() => this.#goOn(taken), persistence);
    };
    await untilDone(() => coordination.locks.run(lock, work), persistence).catch((error: unknown) => {
      if (!signal.aborted) log.warn({ error }, 'what another process left could not be taken over');
    });
  }

  async #take(): Promise<TakenOver> {
    const { processes, coordination, configured, bot } = this.#dependencies;
    const taken = await processes.takeOver(coordination.process, [...configured.keys()], this.#found);
    await bot.credits.settleAbandoned();
    this.#found = nothingFound();
    return taken;
  }

  /**
   * The order matters: what was left open on a platform is known before people are told, and so are deliveries and
   * renders, which commands ask whether anything still goes on by itself.
   */
  async #goOn(taken: TakenOver): Promise<void> {
    const { platforms, stopping, bot, log } = this.#dependencies;
    if (stopping.aborted) return;
    for (const platform of platforms()) await platform.takeUp?.();
    await bot.deliveries.resume(taken.deliveries);
    await bot.renders.resume();
    bot.recovery.notifyAll(taken.jobs);
    bot.removals.goOn();
    await bot.sharing.goOn();
    const left = {
      answers: taken.deliveries.length,
      renders: taken.renders.length,
      commands: taken.jobs.length,
    };
    if (Object.values(left).some((count) => count > 0))
      log.info(left, 'going on with what another process left');
  }
}

const lock = 'takeover';
