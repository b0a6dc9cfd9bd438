import type { Clock } from '../../lib/clock.ts';
import { conversationKey } from '../address.ts';
import type { AnyCommand } from '../commands/command.ts';
import type { Caller, Verdict } from './rules.ts';

/** So many of one person's commands wait in a place, beside the one that is carried out. */
export const mostWaiting = 3;
/** What was admitted and never begun is forgotten after so long, in milliseconds. */
const patience = 60_000;

/** One command's room in the backlog. */
export interface BacklogSlot {
  /** It is being carried out: it keeps its room until it leaves. */
  begin(): void;
  /** It has ended, or will not begin. */
  leave(): void;
}

interface Waiting {
  count: number;
  /** The person was told that there is no room, since the last time one of theirs has ended. */
  told: boolean;
}

const unlimited: BacklogSlot = { begin: () => {}, leave: () => {} };

/** Keeps one person from filling a place with commands that wait for one another. */
export class Backlog {
  readonly #clock: Clock;
  readonly #lines = new Map<string, Waiting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes room for a command, or refuses; `sentence` says why. */
  enter<P>(
    command: Pick<AnyCommand<P>, 'name' | 'queues'>,
    { address, requester }: Caller,
    sentence: (most: number) => string,
  ): BacklogSlot | (Verdict & { readonly kind: 'refused' }) {
    if (!command.queues) return unlimited;
    const key = `${command.name} ${requester.id} ${conversationKey(address)}`;
    const line = this.#lines.get(key) ?? { count: 0, told: false };
    if (line.count > mostWaiting) {
      const repeated = line.told;
      line.told = true;
      return { kind: 'refused', text: sentence(mostWaiting), ...(repeated && { repeated }) };
    }
    line.count++;
    this.#lines.set(key, line);
    let left = false;
    const leave = () => {
      if (left) return;
      left = true;
      cancel();
      line.count--;
      line.told = false;
      if (line.count === 0) this.#lines.delete(key);
    };
    const cancel = this.#clock.after(patience, leave);
    return { begin: () => cancel(), leave };
  }

  /** People with something under way or waiting. */
  get size(): number {
    return this.#lines.size;
  }
}
