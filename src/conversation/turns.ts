/** Whose turn it is, and how it waits. */
export interface TurnOrder {
  readonly person: string;
  /** How many turns of different people may run at the same time. */
  readonly atOnce: number;
  /** Aborting it leaves the queue. */
  readonly signal?: AbortSignal;
  /** Called if the turn has to wait. */
  readonly onWait?: () => void;
}

interface Entry {
  readonly person: string;
  readonly begin: () => void;
  readonly atOnce: number;
  running: boolean;
}

/**
 * Turns in conversations: one person's run one at a time in order of arrival, different people's side by side, up to a
 * limit. A conversation without turns takes no memory.
 */
export class Turns {
  readonly #queues = new Map<string, Entry[]>();

  /** Runs `work` when its turn comes. */
  async take<T>(
    conversation: string,
    { person, atOnce, signal, onWait }: TurnOrder,
    work: () => Promise<T>,
  ): Promise<T> {
    const queue = this.#queues.get(conversation) ?? [];
    this.#queues.set(conversation, queue);
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const entry: Entry = { person, begin, atOnce, running: false };
    queue.push(entry);
    try {
      beginNext(queue);
      if (!entry.running) {
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

/** In order of arrival. A person who waits for their own earlier turn doesn't hold up others. */
function beginNext(queue: readonly Entry[]): void {
  let running = queue.filter((entry) => entry.running).length;
  const earlier = new Set<string>();
  for (const entry of queue) {
    const isFree = !entry.running && !earlier.has(entry.person);
    if (isFree && running < entry.atOnce) {
      entry.running = true;
      running++;
      entry.begin();
    }
    earlier.add(entry.person);
  }
}

async function unlessAborted(wait: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return wait;
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([wait, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
