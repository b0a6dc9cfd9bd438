import type { SlashCommand } from '@slack/bolt';
import { randomId } from '../../../../lib/text.ts';
import type { Button } from '../../../../port/index.ts';
import type { KeyValueStore } from '../../../../store/index.ts';
import { platformError, slackCode } from '../../api/errors.ts';
import type { SlackApi } from '../../api/slack-api.ts';
import type { Channels } from './channels.ts';

/** How long a button can be pressed, in milliseconds: as long as the `response_url` of its message lives. */
const lifetime = 30 * 60_000;
/** What the ids of these buttons begin with. */
const prefix = 'join:';

/** A slash command that was refused because the bot isn’t in its channel, as Slack sent it. */
export type RefusedCommand = Pick<
  SlashCommand,
  'command' | 'text' | 'user_id' | 'user_name' | 'team_id' | 'channel_id' | 'channel_name'
>;

/** Buttons that bring the bot into a public channel; the command that was refused there is run then, once. */
export class JoinOffers {
  readonly #store: KeyValueStore;
  readonly #api: SlackApi;
  readonly #channels: Channels;

  constructor(store: KeyValueStore, api: SlackApi, channels: Channels) {
    this.#store = store;
    this.#api = api;
    this.#channels = channels;
  }

  /** A button for the person who gave the command. */
  async button(command: RefusedCommand, label: string): Promise<Button> {
    const id = `${prefix}${randomId()}`;
    await this.#store.set(keyOf(id), command, lifetime);
    return { id, label, style: 'primary' };
  }

  /** Takes what a pressed button offers, once; undefined where it was taken, or has expired. */
  async take(actionId: string): Promise<RefusedCommand | undefined> {
    const key = keyOf(actionId);
    const command = await this.#store.get<RefusedCommand>(key);
    // Of two presses at once, one takes it.
    return command && (await this.#store.delete(key)) ? command : undefined;
  }

  /**
   * Joins a public channel (conversations.join).
   * @returns Slack’s code where it refuses: `missing_scope` in an app from before it asked for `channels:join`.
   * @throws {PlatformError} where Slack can’t be reached.
   */
  async join(workspace: string, channel: string): Promise<string | undefined> {
    try {
      await this.#api.call(workspace, 'conversations.join', { channel });
    } catch (error) {
      const { kind } = platformError(error);
      if (kind === 'unreachable') throw platformError(error);
      return slackCode(error) ?? kind;
    }
    await this.#channels.changed(workspace, channel);
    return undefined;
  }
}

/** Whether a button is one of these. */
export function isJoinButton(actionId: string): boolean {
  return actionId.startsWith(prefix);
}

function keyOf(actionId: string): string {
  return `offer ${actionId}`;
}
