import type { Clock } from '../lib/clock.ts';
import type { HeldRequest } from '../port/index.ts';
import type { Dispatcher } from './dispatcher.ts';

/** Milliseconds until a person is told where nothing could be begun: Discord and Slack wait for three seconds. */
const patience = 2_300;
/** So many of those may be over when a request arrives; where more seem to be, the clocks differ. */
const mostElapsed = 1_300;
/** Where the database isn't the reason by then, it's looked again, in milliseconds; later its queries fail by themselves. */
const looksAgain = { every: 200, atMost: 40 };

/** The person has been told that nothing comes of the request: nothing may begin any more. */
export class GivenUpError extends Error {
  override name = 'GivenUpError';
}

/** How long a request may wait for its response, and what happens then. */
export interface ResponseLimit {
  readonly clock: Pick<Clock, 'now' | 'after'>;
  /** When it was made, in milliseconds since the epoch; now where the platform doesn't say. */
  readonly madeAt?: number;
  /** Whether the limit holds: whether the database is silent. It always holds where left out. */
  readonly isDue?: () => boolean;
  /** The response instead: the database doesn't answer in time, or what the error says. Needs no database. */
  readonly tell: (error?: unknown) => Promise<void>;
  /** Whether the person is told of an error; of every one where left out. */
  readonly isTold?: (error: unknown) => boolean;
  /** Called once it's begun or refused, or the person is about to be told: nobody has to remember it any more. */
  readonly onOver?: () => void;
}

/**
 * A request of a person's, as long as nothing has been begun for it. Where the database is slow or silent, the person
 * is told so in time, and then nothing may begin.
 */
export class Waiting {
  readonly #limit: ResponseLimit;
  #state: 'waiting' | 'answered' | 'given up' = 'waiting';
  #told: Promise<void> | undefined;
  #cancel = () => {};

  constructor(limit: ResponseLimit) {
    this.#limit = limit;
    const { clock, madeAt = clock.now() } = limit;
    const elapsed = Math.min(Math.max(clock.now() - madeAt, 0), mostElapsed);
    this.#lookIn(patience - elapsed, looksAgain.atMost);
  }

  /** It's begun or refused. */
  get isAnswered(): boolean {
    return this.#state === 'answered';
  }

  /** The person has been told that nothing comes of it. */
  get isGivenUp(): boolean {
    return this.#state === 'given up';
  }

  /** Resolves when the person has been told, if they are; rejects where that isn't possible. */
  get told(): Promise<void> | undefined {
    return this.#told;
  }

  /** It's begun or refused, here or in another process: the one that does it gives the response. */
  answered(): void {
    this.#cancel();
    if (this.#state !== 'waiting') return;
    this.#state = 'answered';
    this.#limit.onOver?.();
  }

  /** Tells the person, unless there was a response. `error` is why nothing comes of it, if it isn't the time. */
  giveUp(error?: unknown): void {
    if (this.#state !== 'waiting') return;
    this.#cancel();
    this.#state = 'given up';
    this.#limit.onOver?.();
    this.#told = this.#limit.tell(error);
    // What waits for the end of the request hears of it.
    this.#told.catch(() => {});
  }

  #lookIn(milliseconds: number, looks: number): void {
    this.#cancel = this.#limit.clock.after(milliseconds, () => {
      if (this.#limit.isDue?.() !== false) this.giveUp();
      else if (looks > 0) this.#lookIn(looksAgain.every, looks - 1);
    });
  }
}

/** Does the work of a request, until something is begun for it or the person has been told that nothing comes of it. */
export async function inResponseTime(
  limit: ResponseLimit,
  work: (waiting: Waiting) => Promise<void>,
): Promise<void> {
  const waiting = new Waiting(limit);
  try {
    await work(waiting);
  } catch (error) {
    if (limit.isTold?.(error) !== false) waiting.giveUp(error);
    if (!(error instanceof GivenUpError)) throw error;
  } finally {
    waiting.answered();
  }
  await waiting.told;
}

/** What reads a request, and says what comes of it. */
export type Prepares = Pick<Dispatcher, 'prepare' | 'prepareFromMessage' | 'preparePress'>;

/**
 * What the dispatcher prepares for a request, which begins nothing once the person has been told that nothing comes of it:
 * @throws {GivenUpError} then. What was recorded too late is ended.
 */
export function heldToLimit(dispatcher: Prepares, waiting: Waiting): Prepares {
  const unlessGivenUp = () => {
    if (waiting.isGivenUp) throw new GivenUpError();
  };
  const held = async (preparing: Promise<HeldRequest>): Promise<HeldRequest> => {
    const prepared = await preparing;
    if (waiting.isGivenUp) await prepared[Symbol.asyncDispose]();
    unlessGivenUp();
    if (prepared.kind !== 'accepted') return prepared;
    return {
      ...prepared,
      async record() {
        const isNew = await prepared.record();
        // It may be on record although it doesn't count as new: its row came late.
        if (waiting.isGivenUp) await prepared.abandon();
        unlessGivenUp();
        waiting.answered();
        return isNew;
      },
      async run(reply) {
        unlessGivenUp();
        waiting.answered();
        await prepared.run(reply);
      },
    };
  };
  return {
    prepare: (request, turn) => held(dispatcher.prepare(request, turn)),
    prepareFromMessage: (request) => held(dispatcher.prepareFromMessage(request)),
    preparePress: (request) => held(dispatcher.preparePress(request)),
  };
}
