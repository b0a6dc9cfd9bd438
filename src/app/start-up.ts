import type { Coordination } from '../coordination/index.ts';
import { type Clock, inTime, unlessAborted, untilDone, type Waits } from '../lib/clock.ts';
import { onNewError, unlessLocal } from '../lib/local-faults.ts';
import type { Log } from '../ops/index.ts';
import type { Platform, PlatformName } from '../port/index.ts';
import { nothingFound, type Processes, type TakenOver } from '../store/index.ts';
import type { Bot } from './bot.ts';

/** Dependencies of a start. */
interface StartUpOptions<Started> extends Omit<TakeoverDependencies, 'coordination' | 'processes'> {
  readonly coordination: Pick<Coordination, 'process' | 'locks' | 'others'>;
  readonly processes: TakeoverDependencies['processes'] & Pick<Processes, 'begin' | 'end'>;
  /** Called where another process found this one dead, and has what was in its hands. */
  readonly takenForDead: () => void;
  /** Starts everything that receives: the platforms, and HTTP. */
  readonly startReceiving: () => Promise<Started>;
}

/** A process that has started. */
interface StartedUp<Started> {
  readonly started: Started;
  /** Ends the process for the others: what it still has in hand is theirs at once. */
  end(): Promise<void>;
}

/**
 * Starts this process of the bot and takes up what others left, in this order:
 *
 * 1. The process is on record, so that what it begins is known to be its own.
 * 2. Commands, deliveries and renders that no living process has in hand become its own, and credits reserved for calls
 *    that died with their process are settled, so that budgets are right for the first new command.
 * 3. Platforms and HTTP start. The next steps post, so they need the platforms.
 * 4. What was deleted meanwhile is known: nothing that somebody took back is bought or spoken of.
 * 5. What was left open on the platforms is known, finished answers go on to be delivered, and renders go on. All of
 *    this before step 6, which asks them what still goes on by itself.
 * 6. People are told of commands that nothing goes on with.
 *
 * From then on the other processes are watched, and all but steps 1 and 3 are done again whenever one has ended or died.
 */
export async function startUp<Started>(options: StartUpOptions<Started>): Promise<StartedUp<Started>> {
  const { processes, coordination, configured, startReceiving, takenForDead } = options;
  const { process, others } = coordination;
  await processes.begin(process, configured);
  const takeover = new Takeover(options);
  const first = takeover.first(startReceiving);
  // From here on its lease is renewed: a start may take long.
  const stopWatching = others.watch({
    gone: () => void takeover.again(),
    beginAgain: () => processes.begin(process, configured),
    takenForDead() {
      // What it took on since then is theirs, too.
      others.ended().catch(() => {});
      takenForDead();
    },
  });
  const failed = (error: unknown) => {
    stopWatching();
    throw error;
  };
  return {
    started: await first.catch(failed),
    async end() {
      stopWatching();
      await processes.end(process);
      await others.ended();
    },
  };
}

/** Dependencies of a takeover. */
interface TakeoverDependencies {
  readonly bot: Pick<Bot, 'recovery' | 'credits' | 'deliveries' | 'removals' | 'renders' | 'sharing'>;
  readonly processes: Pick<Processes, 'takeOver'>;
  readonly coordination: Pick<Coordination, 'process' | 'locks'>;
  /** The platforms that this process runs, and what it receives of each. */
  readonly configured: ReadonlyMap<PlatformName, string>;
  /** Those of them that have started. */
  readonly platforms: () => Iterable<Pick<Platform, 'caughtUp' | 'takeUp'>>;
  /** Aborted when the process is to stop: what was left then stays for another. */
  readonly stopping: AbortSignal;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/** Between tries while the database is away, in milliseconds. */
const waits: Waits = { first: 500, longest: 5_000 };

/**
 * Milliseconds for platforms to tell of what was missed. Discord does so within one or two seconds where it can be reached,
 * and after a lost connection within a few more; people of other platforms, and of Discord where it's away for long, don't
 * wait for it.
 */
const catchingUp = 10_000;

/** Takes over what dead processes had in hand, and goes on with it: at start, and whenever another process has ended. */
class Takeover {
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
   * the one that ends what these left open on the platform. While one waits for a platform to tell of what was missed, others
   * start.
   */
  first<Started>(startReceiving: () => Promise<Started>): Promise<Started> {
    const { stopping, coordination } = this.#dependencies;
    const { locks } = coordination;
    const begin = async () => ({ taken: await this.#take(), started: await startReceiving() });
    const first = locks.run(lock, begin).then(async ({ taken, started }) => {
      await this.#caughtUp();
      // It has begun to receive: what ends it now would cut off what people have asked for since.
      const goOn = () => locks.run(lock, () => this.#goOn(taken));
      await untilDone(goOn, this.#persistence).catch((error: unknown) => {
        if (!stopping.aborted) throw error;
      });
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
    const { coordination, stopping: signal, log } = this.#dependencies;
    const work = async () => {
      if (signal.aborted) return;
      const taken = await this.#take();
      // From here on it's in this process's hands, and nobody else would go on with it.
      await untilDone(() => this.#goOn(taken), this.#persistence);
    };
    await this.#caughtUp();
    await untilDone(() => coordination.locks.run(lock, work), this.#persistence).catch((error: unknown) => {
      if (!signal.aborted) log.warn({ error }, 'what another process left could not be taken over');
    });
  }

  get #persistence() {
    const { clock, stopping: signal, log } = this.#dependencies;
    const tell = onNewError((error) =>
      log.warn({ error }, 'what another process left can’t be taken over yet'),
    );
    const failed = (error: unknown) => {
      unlessLocal(error);
      tell(error);
    };
    return { clock, waits, signal, failed };
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
    void bot.deliveries.resume(taken.deliveries);
    await bot.renders.resume();
    await bot.sharing.goOn();
    // What fails is tried again from its beginning, so nothing after this may: people are told once.
    bot.recovery.notifyAll(taken.jobs);
    bot.removals.goOn();
    const left = {
      answers: taken.deliveries.length,
      renders: taken.renders.length,
      commands: taken.jobs.length,
    };
    if (Object.values(left).some((count) => count > 0))
      log.info(left, 'going on with what another process left');
  }

  async #caughtUp(): Promise<void> {
    const { platforms, stopping, clock } = this.#dependencies;
    const all = Promise.allSettled(Array.from(platforms(), (platform) => platform.caughtUp?.()));
    await unlessAborted(inTime(clock, catchingUp, all, undefined), stopping).catch(() => {});
  }
}

const lock = 'takeover';
