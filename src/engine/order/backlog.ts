import type { Clock } from '../../lib/clock.ts';
import { type Caller, conversationKey } from '../../port/index.ts';
import type { Verdict } from '../admission.ts';
import type { Command } from '../command.ts';

/** Commands of one person that may wait in a channel, not counting the one that runs. */
export const mostWaiting = 3;
/** What was admitted and never begun is forgotten after so long, in milliseconds. */
const patience = 60_000;

/** One command's slot in the backlog. */
export interface BacklogSlot {
  /** It runs now: it keeps its slot until it leaves. */
  begin(): void;
  /** It has ended, or will not begin. */
  leave(): void;
}

interface Waiting {
  count: number;
  /** The person was told that the backlog is full, since one of theirs last ended. */
  wasTold: boolean;
}

const unlimited: BacklogSlot = { begin: () => {}, leave: () => {} };

/** How many commands of a person other processes have taken in a place, which is named by its conversation's key. */
export type Elsewhere = (person: string, place: string) => Promise<number>;

/** Keeps one person from filling a channel with commands that wait for one another. */
export class Backlog {
  readonly #clock: Clock;
  readonly #elsewhere: Elsewhere | undefined;
  readonly #waiting = new Map<string, Waiting>();

  /** `elsewhere` where the bot has several processes. */
  constructor(clock: Clock, elsewhere?: Elsewhere) {
    this.#clock = clock;
    this.#elsewhere = elsewhere;
  }

  /** Takes a slot for a command, or refuses with `sentence`; `others` counts what isn't in this memory. */
  async enter(
    command: Pick<Command, 'name' | 'queues'>,
    { address, requester }: Caller,
    sentence: (most: number) => string,
    others = this.#elsewhere,
  ): Promise<BacklogSlot | (Verdict & { readonly kind: 'refused' })> {
    if (!command.queues) return unlimited;
    const place = conversationKey(address);
    const elsewhere = (await others?.(requester.id, place)) ?? 0;
    const key = `${command.name} ${requester.id} ${place}`;
    const waiting = this.#waiting.get(key) ?? { count: 0, wasTold: false };
    if (waiting.count + elsewhere > mostWaiting) {
      const repeated = waiting.wasTold;
      waiting.wasTold = true;
      return {
        kind: 'refused',
        text: sentence(mostWaiting),
        reason: 'waiting',
        ...(repeated && { repeated }),
      };
    }
    waiting.count++;
    this.#waiting.set(key, waiting);
    let left = false;
    const leave = () => {
      if (left) return;
      left = true;
      cancel();
      waiting.count--;
      waiting.wasTold = false;
      if (waiting.count === 0) this.#waiting.delete(key);
    };
    const cancel = this.#clock.after(patience, leave);
    return { begin: () => cancel(), leave };
  }

  /** People with something under way or waiting. */
  get size(): number {
    return this.#waiting.size;
  }
}
