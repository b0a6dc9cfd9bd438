import {
  type APIMessage,
  type ButtonInteraction,
  type Client,
  type RawFile,
  type REST,
  RESTJSONErrorCodes,
  Routes,
} from 'discord.js';
import { errorCode } from '../../platforms/discord/api/errors.ts';
import type { CleanUp } from '../clean-up.ts';
import type { Helper } from '../helper.ts';

/** What a rate limit's headers said. */
export interface Limit {
  readonly limit: string;
  readonly resetAfter: string;
}

/** Somebody who helps, and the connection on which it is heard of. */
export interface Helping {
  readonly helper: Helper;
  readonly client: Client<true>;
  /** The press that was asked for first, for the steps after it. */
  pressed: PressedButton | undefined;
}

/** A press, and the message of its button. */
export interface PressedButton {
  readonly press: ButtonInteraction;
  readonly message: string;
}

/** What the steps on Discord share. */
export interface DiscordContext {
  readonly rest: REST;
  /** Not connected: works out of what Discord answers to requests what the bot is allowed. */
  readonly client: Client;
  readonly applicationId: string;
  readonly guildId: string;
  readonly channelId: string;
  readonly cleanUp: CleanUp;
  /** By route, as the last answer had it. */
  readonly limits: ReadonlyMap<string, Limit>;
  /** Undefined where nobody said that they would help. */
  readonly helping: Helping | undefined;
}

/** Begins every text the check posts, so that it is known for what it is. */
export const label = 'troupe live check';

type Body = Readonly<Record<string, unknown>>;

/** Posts in the channel, pinging nobody, and takes the message away in the end. */
export async function post(
  { rest, channelId, cleanUp }: DiscordContext,
  body: Body,
  files: readonly RawFile[] = [],
): Promise<APIMessage> {
  const message = (await rest.post(Routes.channelMessages(channelId), {
    body: { allowed_mentions: { parse: [] }, ...body },
    files: [...files],
  })) as APIMessage;
  cleanUp.later(`a message in the channel (${message.id})`, () =>
    deleteMessage({ rest, channelId }, message.id),
  );
  return message;
}

/** Removes a message; that it is gone already is as good. */
export async function deleteMessage(
  { rest, channelId }: Pick<DiscordContext, 'rest' | 'channelId'>,
  id: string,
): Promise<void> {
  await rest.delete(Routes.channelMessage(channelId, id)).catch(ignoreGone);
}

/** @throws what is not that a message is gone already. */
export function ignoreGone(error: unknown): void {
  if (errorCode(error) !== RESTJSONErrorCodes.UnknownMessage) throw error;
}

/** A message of the check's own, for steps about what can be done with one. */
export function postText(context: DiscordContext, text: string, more: Body = {}): Promise<APIMessage> {
  return post(context, { content: `${label}: ${text}`, ...more });
}

/** Changes a message with the bot's token. */
export async function editMessage(
  { rest, channelId }: DiscordContext,
  id: string,
  body: Body,
): Promise<void> {
  await rest.patch(Routes.channelMessage(channelId, id), {
    body: { allowed_mentions: { parse: [] }, ...body },
  });
}
