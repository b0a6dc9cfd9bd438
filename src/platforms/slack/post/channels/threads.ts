import type { Address } from '../../../../port/index.ts';
import type { KeyValueStore } from '../../../../store/index.ts';
import { slackAddress } from '../address.ts';

/** How long a thread is remembered, in milliseconds. */
const lifetime = 90 * 86_400_000;

/** Which conversation a thread belongs to: one of its own, or that of its channel. */
type Belonging = 'thread' | 'channel';

/** Who people talk to in a thread. */
export type Talk = 'bot' | 'people';

/** The same on record, with the message that told. */
interface NotedTalk {
  readonly whom: Talk;
  readonly ts: string;
}

/**
 * Threads that the bot takes part in. One in a channel that workspaces share is of the workspace that it was first known in,
 * whichever Slack names: there its conversation is, and the bot can post. Under an answer to a slash command, which can’t be used inside a thread, the
 * channel’s conversation continues; a thread that people started has its own.
 */
export class Threads {
  readonly #store: KeyValueStore;
  readonly #idsOf: (channel: string) => readonly string[];
  readonly #isIn: (workspace: string) => Promise<boolean>;

  /**
   * `idsOf`: all ids that a channel has had. A thread may be known under any; the one that’s named goes first. `isIn`: whether
   * the bot still is in a workspace.
   */
  constructor(
    store: KeyValueStore,
    idsOf: (channel: string) => readonly string[],
    isIn: (workspace: string) => Promise<boolean>,
  ) {
    this.#store = store;
    this.#idsOf = idsOf;
    this.#isIn = isIn;
  }

  /** Remembers that the bot has posted in a thread. What is already known of it stays. */
  async join(workspace: string, channel: string, thread: string, belonging: Belonging): Promise<void> {
    const known = await this.#find(workspace, channel, thread);
    if (known.belonging === undefined) await this.#note(workspace, channel, thread, belonging);
  }

  /** Remembers a thread as opened for a conversation of its own. */
  async open(workspace: string, channel: string, thread: string): Promise<void> {
    await this.#note(workspace, channel, thread, 'thread');
  }

  async #note(workspace: string, channel: string, thread: string, belonging: Belonging): Promise<void> {
    await this.#store.set(keyOf(workspace, channel, thread), belonging, lifetime);
    await this.#store.set(workspaceKeyOf(channel, thread), workspace, lifetime);
  }

  /** Whether the bot takes part in a thread. */
  async has(workspace: string, channel: string, thread: string): Promise<boolean> {
    return (await this.#find(workspace, channel, thread)).belonging !== undefined;
  }

  /**
   * Notes who people talk to in a thread by one of its messages (`ts`): to the bot, or to each other until somebody mentions
   * the bot. Slack may send a message again after later ones.
   */
  async noteTalk(named: string, channel: string, thread: string, whom: Talk, ts: string): Promise<void> {
    const before = await this.#talk(named, channel, thread);
    if (before.whom === whom || Number(ts) <= Number(before.ts)) return;
    const { workspace } = await this.#find(named, channel, thread);
    await this.#store.set(talkKeyOf(workspace, channel, thread), { whom, ts } satisfies NotedTalk, lifetime);
  }

  /** Who people talk to in a thread. */
  async talkIn(named: string, channel: string, thread: string): Promise<Talk> {
    return (await this.#talk(named, channel, thread)).whom;
  }

  async #talk(named: string, channel: string, thread: string): Promise<NotedTalk> {
    const { workspace } = await this.#find(named, channel, thread);
    let latest: NotedTalk = { whom: 'bot', ts: '0' };
    for (const id of this.#idsOf(channel)) {
      const kept = await this.#store.get<NotedTalk | 'people'>(talkKeyOf(workspace, id, thread));
      // The version before noted no message.
      const noted = kept === 'people' ? { whom: kept, ts: thread } : kept;
      if (noted && Number(noted.ts) > Number(latest.ts)) latest = noted;
    }
    return latest;
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
      ? slackAddress(known.workspace, known.channel, undefined, { under: thread, ...data })
      : slackAddress(known.workspace, known.channel, thread, data);
  }

  /** In which workspace, and under which id of its channel, a thread is known, if it is. */
  async #find(named: string, channel: string, thread: string) {
    for (const id of new Set([channel, ...this.#idsOf(channel)])) {
      const own = await this.#store.get<Belonging>(keyOf(named, id, thread));
      if (own !== undefined) return { workspace: named, channel: id, belonging: own };
      const workspace = await this.#store.get<string>(workspaceKeyOf(id, thread));
      if (workspace === undefined || workspace === named || !(await this.#isIn(workspace))) continue;
      const belonging = await this.#store.get<Belonging>(keyOf(workspace, id, thread));
      if (belonging !== undefined) return { workspace, channel: id, belonging };
    }
    return { workspace: named, channel, belonging: undefined };
  }
}

function talkKeyOf(workspace: string, channel: string, thread: string): string {
  return `talk ${workspace} ${channel} ${thread}`;
}

function workspaceKeyOf(channel: string, thread: string): string {
  return `workspace of ${channel} ${thread}`;
}

function keyOf(workspace: string, channel: string, thread: string): string {
  return `thread ${workspace} ${channel} ${thread}`;
}
