import type { Address } from '../../../port/index.ts';
import type { KeyValueStore } from '../api/key-value-store.ts';
import { threadOf } from './address.ts';

/** How long it’s remembered, in milliseconds: settings may change, so threads are tried again. */
const lifetime = 7 * 86_400_000;

/** Channels whose settings forbid threads: replies go to the channel itself. */
export class ChannelsWithoutThreads {
  readonly #store: KeyValueStore;

  constructor(store: KeyValueStore) {
    this.#store = store;
  }

  /** The `thread_ts` for a post; undefined for the channel itself. */
  async threadAt(address: Address): Promise<string | undefined> {
    const thread = threadOf(address);
    if (thread === undefined || (await this.#store.get(keyOf(address))) === true) return undefined;
    return thread;
  }

  /** Remembers that Slack refused a reply because of these settings. */
  async note(address: Address): Promise<void> {
    await this.#store.set(keyOf(address), true, lifetime);
  }
}

function keyOf({ workspace, channel }: Address): string {
  return `threadless ${workspace} ${channel}`;
}
