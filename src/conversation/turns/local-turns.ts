import { unlessAborted } from '../../lib/unless-aborted.ts';
import { nextTurns, type StopOutcome, type TurnOrder, type Turns, type Waiting } from './turns.ts';

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
