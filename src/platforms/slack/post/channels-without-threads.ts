import type { Address } from '../../../port/index.ts';
import type { KeyValueStore } from '../key-value-store.ts';
import { threadOf } from './address.ts';

/** A channel's settings may change: after so long a thread is tried again, in milliseconds. */
const lifetime = 7 * 86_400_000;

/** Channels whose settings forbid threads: what belongs in a thread there comes in the channel itself. */
export class ChannelsWithoutThreads {
  readonly #memory: KeyValueStore;

  constructor(memory: KeyValueStore) {
    this.#memory = memory;
  }

  /** The `thread_ts` with which something can be posted at a place; undefined for the channel itself. */
  async threadAt(address: Address): Promise<string | undefined> {
    const thread = threadOf(address);
    if (thread === undefined || (await this.#memory.get(keyOf(address))) === true) return undefined;
    return thread;
  }

  /** Remembers that Slack refused a reply for it. */
  async note(address: Address): Promise<void> {
    await this.#memory.set(keyOf(address), true, lifetime);
  }
}

function keyOf({ workspace, channel }: Address): string {
  return `threadless ${workspace} ${channel}`;
}
