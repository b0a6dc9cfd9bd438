import type { Address } from '../../../../port/index.ts';
import type { KeyValueStore } from '../../api/key-value-store.ts';
import { slackAddress } from '../address.ts';

/** How long a thread is remembered, in milliseconds. */
const lifetime = 90 * 86_400_000;

/** Which conversation a thread belongs to: one of its own, or that of its channel. */
type Belonging = 'thread' | 'channel';

/** Who people talk to in a thread. */
export type Talk = 'bot' | 'people';

/**
 * Threads that the bot takes part in. Under an answer to a slash command, which can’t be used inside a thread, the
 * channel’s conversation continues; a thread that people started has its own.
 */
export class Threads {
  readonly #store: KeyValueStore;

  constructor(store: KeyValueStore) {
    this.#store = store;
  }

  /** Remembers that the bot has posted in a thread. What is already known of it stays. */
  async join(workspace: string, channel: string, thread: string, belonging: Belonging): Promise<void> {
    const key = keyOf(workspace, channel, thread);
    if ((await this.#store.get<Belonging>(key)) === undefined) {
      await this.#store.set(key, belonging, lifetime);
    }
  }

  /** Remembers a thread as opened for a conversation of its own. */
  async open(workspace: string, channel: string, thread: string): Promise<void> {
    await this.#store.set(keyOf(workspace, channel, thread), 'thread' satisfies Belonging, lifetime);
  }

  /** Whether the bot takes part in a thread. */
  async has(workspace: string, channel: string, thread: string): Promise<boolean> {
    return (await this.#store.get<Belonging>(keyOf(workspace, channel, thread))) !== undefined;
  }

  /** Notes who people talk to in a thread: to the bot, or to each other until somebody mentions the bot. */
  async noteTalk(workspace: string, channel: string, thread: string, whom: Talk): Promise<void> {
    const key = talkKeyOf(workspace, channel, thread);
    if ((await this.talkIn(workspace, channel, thread)) === whom) return;
    if (whom === 'people') await this.#store.set(key, whom, lifetime);
    else await this.#store.delete(key);
  }

  /** Who people talk to in a thread. */
  async talkIn(workspace: string, channel: string, thread: string): Promise<Talk> {
    return (await this.#store.get<Talk>(talkKeyOf(workspace, channel, thread))) ?? 'bot';
  }

  /** The address of what is said in a thread, or in the channel itself; `isNew`: a thread that may have no replies. */
  async addressOf(
    workspace: string,
    channel: string,
    thread: string | undefined,
    isNew = false,
  ): Promise<Address> {
    if (thread === undefined) return slackAddress(workspace, channel);
    const belonging = await this.#store.get<Belonging>(keyOf(workspace, channel, thread));
    return belonging === 'channel'
      ? slackAddress(workspace, channel, undefined, { under: thread })
      : slackAddress(workspace, channel, thread, isNew ? { newThread: 'yes' } : {});
  }
}

function talkKeyOf(workspace: string, channel: string, thread: string): string {
  return `talk ${workspace} ${channel} ${thread}`;
}

function keyOf(workspace: string, channel: string, thread: string): string {
  return `thread ${workspace} ${channel} ${thread}`;
}
