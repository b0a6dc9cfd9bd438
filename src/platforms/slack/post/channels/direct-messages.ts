import type { Clock } from '../../../../lib/clock.ts';
import type { KeyValueStore } from '../../../../store/index.ts';
import { platformError } from '../../api/errors.ts';
import { RecentEvents } from '../../api/recent-events.ts';
import type { SlackApi } from '../../api/slack-api.ts';
import { isDirect } from '../address.ts';

/** How long direct messages count as the bot’s, in milliseconds; noted again once a day. */
const lifetime = 400 * 86_400_000;
const notedEvery = 86_400_000;
const maxNoted = 5_000;

/**
 * The bot’s own direct messages. A command can also come from direct messages between two people, which have the same
 * kind of id and where no app can be: only what Slack has shown to be the bot’s counts.
 */
export class DirectMessages {
  readonly #api: SlackApi;
  readonly #store: KeyValueStore;
  readonly #noted: RecentEvents;

  constructor(api: SlackApi, store: KeyValueStore, clock: Clock) {
    this.#api = api;
    this.#store = store;
    this.#noted = new RecentEvents(clock, notedEvery, maxNoted);
  }

  /** Notes that these direct messages are the bot’s: it received a message there, or Slack opened them for it. */
  async noteOwn(workspace: string, channel: string): Promise<void> {
    const key = keyOf(workspace, channel);
    if (this.#noted.isNew(key)) await this.#store.set(key, true, lifetime);
  }

  /** Whether a channel is known to be the bot's direct messages with somebody. */
  async isOwn(workspace: string, channel: string): Promise<boolean> {
    return isDirect(channel) && (await this.#store.get(keyOf(workspace, channel))) === true;
  }

  /** The bot’s direct messages with somebody, if they were opened before and are still in memory. */
  async known(workspace: string, user: string): Promise<string | undefined> {
    return this.#store.get<string>(withKey(workspace, user));
  }

  /**
   * The bot's direct messages with somebody.
   * @throws {PlatformError} where it cannot have any.
   */
  async open(workspace: string, user: string): Promise<string> {
    try {
      const answer = await this.#api.call(workspace, 'conversations.open', { users: user });
      const { id } = answer.channel as { readonly id: string };
      await this.noteOwn(workspace, id);
      if (this.#noted.isNew(`${id} with`)) await this.#store.set(withKey(workspace, user), id, lifetime);
      return id;
    } catch (error) {
      throw platformError(error);
    }
  }
}

function withKey(workspace: string, user: string): string {
  return `direct messages with ${workspace} ${user}`;
}

function keyOf(workspace: string, channel: string): string {
  return `direct messages ${workspace} ${channel}`;
}
