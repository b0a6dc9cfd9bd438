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

/** Rate limit headers of a response. */
export interface Limit {
  readonly limit: string;
  readonly resetAfter: string;
}

/** A person who helps, and the connection that receives what they do. */
export interface HelperSession {
  readonly helper: Helper;
  readonly client: Client<true>;
  /** Where Discord sends interactions instead of that connection. */
  readonly endpoint: string | undefined;
  /** The first button press, which later steps use. */
  pressed: PressedButton | undefined;
}

/** A button press, and the id of its message. */
export interface PressedButton {
  readonly press: ButtonInteraction;
  readonly message: string;
}

/** What the steps on Discord share. */
export interface DiscordContext {
  readonly rest: REST;
  /** Not connected: computes the bot's permissions from Discord's responses. */
  readonly client: Client;
  readonly applicationId: string;
  readonly guildId: string;
  readonly channelId: string;
  readonly cleanUp: CleanUp;
  /** Of the latest responses, by route. */
  readonly limits: ReadonlyMap<string, Limit>;
  /** Undefined if nobody helps. */
  readonly session: HelperSession | undefined;
}

/** The start of every text that the check posts. */
export const label = 'troupe live check';

type Body = Readonly<Record<string, unknown>>;

/** Posts in the channel, without pings; the message is deleted at the end. */
export async function post(
  { rest, channelId, cleanUp }: DiscordContext,
  body: Body,
  files: readonly RawFile[] = [],
): Promise<APIMessage> {
  const message = (await rest.post(Routes.channelMessages(channelId), {
    body: { allowed_mentions: { parse: [] }, ...body },
    files: [...files],
  })) as APIMessage;
  cleanUp.add(`a message in the channel (${message.id})`, () =>
    deleteMessage({ rest, channelId }, message.id),
  );
  return message;
}

/** Deletes a message, unless it's gone already. */
export async function deleteMessage(
  { rest, channelId }: Pick<DiscordContext, 'rest' | 'channelId'>,
  id: string,
): Promise<void> {
  await rest.delete(Routes.channelMessage(channelId, id)).catch(ignoreGone);
}

/** @throws any error but that a message is gone already. */
export function ignoreGone(error: unknown): void {
  if (errorCode(error) !== RESTJSONErrorCodes.UnknownMessage) throw error;
}

/** Posts a text in the channel. */
export function postText(context: DiscordContext, text: string, more: Body = {}): Promise<APIMessage> {
  return post(context, { content: `${label}: ${text}`, ...more });
}

/** Edits a message with the bot's token. */
export async function editMessage(
  { rest, channelId }: DiscordContext,
  id: string,
  body: object,
  files: readonly RawFile[] = [],
): Promise<void> {
  await rest.patch(Routes.channelMessage(channelId, id), {
    body: { allowed_mentions: { parse: [] }, ...body },
    files: [...files],
  });
}
