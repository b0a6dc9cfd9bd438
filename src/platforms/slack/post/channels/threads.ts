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
  readonly #idsOf: (channel: string) => readonly string[];

  /** `idsOf`: all ids that a channel has had. A thread may be known under any; the one that’s named goes first. */
  constructor(store: KeyValueStore, idsOf: (channel: string) => readonly string[]) {
    this.#store = store;
    this.#idsOf = idsOf;
  }

  /** Remembers that the bot has posted in a thread. What is already known of it stays. */
  async join(workspace: string, channel: string, thread: string, belonging: Belonging): Promise<void> {
    const known = await this.#find(workspace, channel, thread);
    if (known.belonging === undefined)
      await this.#store.set(keyOf(workspace, channel, thread), belonging, lifetime);
  }

  /** Remembers a thread as opened for a conversation of its own. */
  async open(workspace: string, channel: string, thread: string): Promise<void> {
    await this.#store.set(keyOf(workspace, channel, thread), 'thread' satisfies Belonging, lifetime);
  }

  /** Whether the bot takes part in a thread. */
  async has(workspace: string, channel: string, thread: string): Promise<boolean> {
    return (await this.#find(workspace, channel, thread)).belonging !== undefined;
  }

  /** Notes who people talk to in a thread: to the bot, or to each other until somebody mentions the bot. */
  async noteTalk(workspace: string, channel: string, thread: string, whom: Talk): Promise<void> {
    if ((await this.talkIn(workspace, channel, thread)) === whom) return;
    const keys = this.#idsOf(channel).map((id) => talkKeyOf(workspace, id, thread));
    if (whom === 'people') await this.#store.set(talkKeyOf(workspace, channel, thread), whom, lifetime);
    else for (const key of keys) await this.#store.delete(key);
  }

  /** Who people talk to in a thread. */
  async talkIn(workspace: string, channel: string, thread: string): Promise<Talk> {
    for (const id of this.#idsOf(channel)) {
      const talk = await this.#store.get<Talk>(talkKeyOf(workspace, id, thread));
      if (talk !== undefined) return talk;
    }
    return 'bot';
  }

  /** The address of what is said in a thread, or in the channel itself; `isNew`: a thread that may have no replies. */
  async addressOf(
    workspace: string,
    channel: string,
    thread: string | undefined,
    isNew = false,
  ): Promise<Address> {
    if (thread === undefined) return slackAddress(workspace, channel);
    const known = await this.#find(workspace, channel, thread);
    const data = isNew ? ({ newThread: 'yes' } as const) : {};
    return known.belonging === 'channel'
      ? slackAddress(workspace, known.channel, undefined, { under: thread, ...data })
      : slackAddress(workspace, known.channel, thread, data);
  }

  /** Under which id of its channel a thread is known, if it is. */
  async #find(workspace: string, channel: string, thread: string) {
    for (const id of new Set([channel, ...this.#idsOf(channel)])) {
      const belonging = await this.#store.get<Belonging>(keyOf(workspace, id, thread));
      if (belonging !== undefined) return { channel: id, belonging };
    }
    return { channel, belonging: undefined };
  }
}

function talkKeyOf(workspace: string, channel: string, thread: string): string {
  return `talk ${workspace} ${channel} ${thread}`;
}

function keyOf(workspace: string, channel: string, thread: string): string {
  return `thread ${workspace} ${channel} ${thread}`;
}
