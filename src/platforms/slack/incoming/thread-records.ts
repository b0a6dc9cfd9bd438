import { beginningOf } from '../../../lib/text.ts';
import type { Records } from '../../../store/index.ts';
import {
  attachmentSays,
  filesIn,
  isSharedMessage,
  type MessageAttachment,
  saidIn,
  shownAttachments,
  type SlackMessage,
} from './slack-message.ts';

/** How long a message is kept, in milliseconds. */
const lifetime = 7 * 86_400_000;
/** Messages of a thread that are read, the newest; and characters that are kept of one. */
const most = 100;
const longest = 4_000;

/**
 * Messages of threads as events brought them, in the database: where an app may read only 15 messages a minute, a thread
 * is put together from these as well. Each is kept for a week, and forgotten where its author deletes it: of the workspaces
 * that share a channel, Slack names any then.
 */
export class ThreadRecords {
  readonly #store: Pick<Records, 'get' | 'set' | 'delete' | 'keysStartingWith'>;
  readonly #idsOf: (channel: string) => readonly string[];

  /** `idsOf`: all ids that a channel has had. */
  constructor(
    store: Pick<Records, 'get' | 'set' | 'delete' | 'keysStartingWith'>,
    idsOf: (channel: string) => readonly string[],
  ) {
    this.#store = store;
    this.#idsOf = idsOf;
  }

  async note(workspace: string, channel: string, thread: string, message: SlackMessage): Promise<void> {
    await this.#store.set(keyOf(workspace, channel, thread, message.ts), shortened(message), lifetime);
  }

  /** A message was changed: what's kept of it is replaced. */
  async change(workspace: string, channel: string, thread: string, message: SlackMessage): Promise<void> {
    if (await this.remove(channel, thread, message.ts)) await this.note(workspace, channel, thread, message);
  }

  /** @returns whether it was kept. */
  async remove(channel: string, thread: string, ts: string): Promise<boolean> {
    const keys = await this.#keys(channel, `${thread} ${ts} `);
    for (const key of keys) await this.#store.delete(key);
    return keys.length > 0;
  }

  /** Forgets all messages of a workspace. */
  async forget(workspace: string): Promise<void> {
    for (const key of await this.#store.keysStartingWith(['']))
      if (key.endsWith(` ${workspace}`)) await this.#store.delete(key);
  }

  /** The newest messages that are kept of a thread, in any order. */
  async of(channel: string, thread: string): Promise<readonly SlackMessage[]> {
    const keys = await this.#keys(channel, `${thread} `);
    // Whatever id of the channel they begin with.
    const newest = keys.toSorted((a, b) => (inChannel(a) < inChannel(b) ? -1 : 1)).slice(-most);
    const messages = await Promise.all(newest.map((key) => this.#store.get<SlackMessage>(key)));
    return messages.filter((message) => message !== undefined);
  }

  /** The keys of what's kept of a channel, whatever its id was then, with this prefix. */
  #keys(channel: string, prefix: string): Promise<readonly string[]> {
    return this.#store.keysStartingWith(this.#idsOf(channel).map((id) => `${id} ${prefix}`));
  }
}

/** A key without its channel. */
function inChannel(key: string): string {
  return key.slice(key.indexOf(' '));
}

function keyOf(workspace: string, channel: string, thread: string, ts: string): string {
  return `${channel} ${thread} ${ts} ${workspace}`;
}

/** A message as it's kept: only what's read later; what it hasn't isn't stored. */
export function shortened(message: SlackMessage): object {
  const { ts, subtype, user, bot_id, bot_profile, username, attachments } = message;
  return {
    ...{ ts, subtype, user, bot_id, username },
    bot_profile: bot_profile && { name: bot_profile.name },
    text: beginningOf(saidIn(message), longest),
    files: filesIn(message)
      .slice(0, 10)
      .map(({ id, name, mimetype, size }) => ({ id, name, mimetype, size })),
    attachments: shownAttachments(attachments).slice(0, 5).map(shortenedAttachment),
  };
}

function shortenedAttachment(attachment: MessageAttachment): object {
  const { author_name, channel_id, ts, from_url } = attachment;
  return {
    ...{ author_name, channel_id, ts, from_url },
    text: beginningOf(attachmentSays(attachment), longest),
    is_share: isSharedMessage(attachment),
  };
}
