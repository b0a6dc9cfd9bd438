/** Whose turn, and how many may have theirs at the same time. */
export interface TurnOrder {
  readonly person: string;
  /** How many turns of different people may run at the same time. */
  readonly atOnce: number;
  /** A wait that is aborted gives its place up. */
  readonly signal?: AbortSignal;
  /** Called where the turn has to wait. */
  readonly onWait?: () => void;
}

interface Entry {
  readonly person: string;
  readonly begin: () => void;
  readonly atOnce: number;
  running: boolean;
}

/**
 * Turns of a place: one person's one at a time in order of arrival, different people's side by side, as many as the
 * place allows. A place without a turn takes no memory.
 */
export class Turns {
  readonly #lines = new Map<string, Entry[]>();

  /** Runs `work` when its turn has come. */
  async take<T>(
    place: string,
    { person, atOnce, signal, onWait }: TurnOrder,
    work: () => Promise<T>,
  ): Promise<T> {
    const line = this.#lines.get(place) ?? [];
    this.#lines.set(place, line);
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const entry: Entry = { person, begin, atOnce, running: false };
    line.push(entry);
    try {
      beginWhoMay(line);
      if (!entry.running) {
        onWait?.();
        await unlessAborted(begun, signal);
      }
      return await work();
    } finally {
      line.splice(line.indexOf(entry), 1);
      if (line.length === 0) this.#lines.delete(place);
      else beginWhoMay(line);
    }
  }

  /** Places with a turn under way or waiting. */
  get size(): number {
    return this.#lines.size;
  }
}

/** In order of arrival; whoever waits for their own earlier turn holds nobody else up. */
function beginWhoMay(line: readonly Entry[]): void {
  let running = line.filter((entry) => entry.running).length;
  const earlier = new Set<string>();
  for (const entry of line) {
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
