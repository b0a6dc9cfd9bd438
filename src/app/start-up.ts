import type { Coordination } from '../coordination/index.ts';
import type { Processes } from '../store/index.ts';
import { Takeover, type TakeoverDependencies } from './takeover.ts';

/** What a start needs. */
export interface StartUpOptions<Started> extends Omit<TakeoverDependencies, 'coordination' | 'processes'> {
  readonly coordination: Pick<Coordination, 'process' | 'locks' | 'others'>;
  readonly processes: TakeoverDependencies['processes'] & Pick<Processes, 'begin' | 'end'>;
  /** Called where another process found this one dead, and has what was in its hands. */
  readonly takenForDead: () => void;
  /** Starts everything that receives: the platforms, and HTTP. */
  readonly startReceiving: () => Promise<Started>;
}

/** A process that has started. */
export interface StartedUp<Started> {
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
 * 4. What was left open on the platforms is known, finished answers go on to be delivered, and renders go on. All of
 *    this before step 5, which asks them what still goes on by itself.
 * 5. People are told of commands that nothing goes on with.
 *
 * From then on the other processes are watched, and steps 2, 4 and 5 are done again whenever one has ended or died.
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
