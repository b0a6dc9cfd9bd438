import { unlessAborted } from '../../lib/clock.ts';

/** A command that takes a turn in a conversation. */
export interface QueuedJob {
  readonly job: string;
  readonly person: string;
  /** Where it was given: a person's commands in one place have their turns in the order in which they were recorded. */
  readonly place: string;
  /** When it came to this process, as a number that grows: one that's recorded late has its turn before what came after it. */
  readonly arrival?: number;
}

/** Whose turn it is, and how it waits. */
export interface TurnOrder {
  readonly person: string;
  /** How many turns of different people may run at the same time. */
  readonly atOnce: number;
  /** Aborting it leaves the queue. */
  readonly signal?: AbortSignal;
  /** Called if the turn has to wait. */
  readonly onWait?: () => void;
  /** Called when somebody asks in another process that it be stopped, while it waits or runs. */
  readonly onStop?: () => void;
}

/** The outcome of asking another process to stop a turn: it does, it doesn't respond, or no process has that turn. */
export type StopOutcome = 'stops' | 'no-response' | 'not-found';

/**
 * Turns in conversations: one person's run one at a time in the order in which their commands were recorded, different
 * people's side by side, up to a limit.
 */
export interface Turns {
  /**
   * A command that takes a turn is being recorded: it comes before those that are recorded later.
   * @returns false if it has its place in this process already.
   */
  enter(queued: QueuedJob): Promise<boolean>;
  /** It has ended, whether it had its turn or not. */
  leave(job: string): Promise<void>;
  /** Runs `work` when the job's turn comes. */
  take<T>(
    conversation: string,
    order: TurnOrder & { readonly job: string },
    work: () => Promise<T>,
  ): Promise<T>;
  /** Resolves when the turns that the job's person entered before it in the same place have begun or left; or soon. */
  earlierHaveBegun(job: string): Promise<void>;
  /** Asks the process that has the job's turn to stop it. */
  stop(job: string): Promise<StopOutcome>;
  /** How many commands of a person other processes have taken in a place: they run or wait there. */
  elsewhere(person: string, place: string): Promise<number>;
}

/** A turn in the queue of its conversation. */
interface Waiting {
  readonly person: string;
  readonly atOnce: number;
  readonly isRunning: boolean;
}

/**
 * The turns that may begin, of a conversation's in their order. A person who waits for their own earlier turn doesn't
 * hold up others.
 */
export function nextTurns<T extends Waiting>(queue: readonly T[]): readonly T[] {
  let running = queue.filter(({ isRunning }) => isRunning).length;
  const earlier = new Set<string>();
  return queue.filter((turn) => {
    const mayBegin = !turn.isRunning && !earlier.has(turn.person) && running < turn.atOnce;
    if (mayBegin) running++;
    earlier.add(turn.person);
    return mayBegin;
  });
}

interface Entry extends Waiting {
  readonly begin: () => void;
  isRunning: boolean;
}

/** The turns of a single process, in memory. A conversation without turns takes none. */
export class LocalTurns implements Turns {
  readonly #queues = new Map<string, Entry[]>();

  /** The order in which commands start is the order of their turns. */
  async enter(): Promise<boolean> {
    return true;
  }

  async leave(): Promise<void> {}

  /** Commands start in the order they came. */
  async earlierHaveBegun(): Promise<void> {}

  async stop(): Promise<StopOutcome> {
    return 'not-found';
  }

  async elsewhere(): Promise<number> {
    return 0;
  }

  async take<T>(
    conversation: string,
    { person, atOnce, signal, onWait }: TurnOrder,
    work: () => Promise<T>,
  ): Promise<T> {
    const queue = this.#queues.get(conversation) ?? [];
    this.#queues.set(conversation, queue);
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const entry: Entry = { person, begin, atOnce, isRunning: false };
    queue.push(entry);
    try {
      beginNext(queue);
      if (!entry.isRunning) {
        onWait?.();
        await unlessAborted(begun, signal);
      }
      return await work();
    } finally {
      queue.splice(queue.indexOf(entry), 1);
      if (queue.length === 0) this.#queues.delete(conversation);
      else beginNext(queue);
    }
  }

  /** How many conversations have turns running or waiting. */
  get size(): number {
    return this.#queues.size;
  }
}

function beginNext(queue: readonly Entry[]): void {
  for (const entry of nextTurns(queue)) {
    entry.isRunning = true;
    entry.begin();
  }
}

/** Answers being written, so that a button can stop them. */
export class AnswersInProgress {
  readonly #turns: Pick<Turns, 'stop'>;
  readonly #controllers = new Map<string, AbortController>();

  constructor(turns: Pick<Turns, 'stop'>) {
    this.#turns = turns;
  }

  /** Runs `work` with a signal that's aborted when the answer is to be stopped, and what aborts it. */
  async run<T>(jobId: string, work: (stopped: AbortSignal, stop: () => void) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#controllers.set(jobId, controller);
    try {
      return await work(controller.signal, () => controller.abort());
    } finally {
      this.#controllers.delete(jobId);
    }
  }

  /** Stops an answer that this process or another is writing. */
  async stop(jobId: string): Promise<StopOutcome> {
    return this.stopHere(jobId) ? 'stops' : this.#turns.stop(jobId);
  }

  /** Stops an answer if this process is writing it, without the database; false if it isn't. */
  stopHere(jobId: string): boolean {
    const controller = this.#controllers.get(jobId);
    controller?.abort();
    return controller !== undefined;
  }
}
