import type { RawFile, REST } from '@discordjs/rest';
import {
  type APIInteraction,
  type APIMessage,
  type APIMessageComponentInteraction,
  ButtonStyle,
  ComponentType,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
  RESTJSONErrorCodes,
  Routes,
} from 'discord-api-types/v10';
import type { DiscordApi } from '../../platforms/discord/api/api.ts';
import { errorCode } from '../../platforms/discord/api/errors.ts';
import { ask, type CheckedChannel, Ended, type Help, helpFrom, skipped } from '../run-steps.ts';
import { silentVoiceMessage } from '../sample-files.ts';

/** The start of every text that the check posts. */
export const label = 'troupe live check';

/** The channel in which the steps are tried. What they create is deleted at the end. */
export interface DiscordChannel extends CheckedChannel {
  readonly id: string;
  /** The bot's own id, as a user and as an application. */
  readonly me: string;
  /** Sends the steps' requests, and says what becomes of each. */
  readonly rest: REST;
  readonly api: DiscordApi;
  /** A person who helps, and the gateway; a sentence if nobody helps. */
  readonly help: (Help<GatewayDispatchPayload> & { readonly endpoint: Endpoint }) | string;
  /** A press that several steps go on from. Its answer is a message that only the person sees. */
  readonly firstPress: () => Promise<APIMessageComponentInteraction>;
}

/** Where Discord sends presses and commands instead of the gateway. */
type Endpoint = string | null | undefined;

/** Posts a message without pings, here or in another channel. */
export async function post(
  { rest, cleanUp, id }: DiscordChannel,
  body: object,
  files: readonly RawFile[] = [],
  at = id,
): Promise<APIMessage> {
  const message = (await rest.post(Routes.channelMessages(at), {
    body: { allowed_mentions: { parse: [] }, ...body },
    files: [...files],
  })) as APIMessage;
  const route = Routes.channelMessage(at, message.id);
  cleanUp.add(`a message (${at} ${message.id})`, () => rest.delete(route).catch(ignoreGone));
  return message;
}

/** Posts a text. */
export function say(channel: DiscordChannel, text: string, more: object = {}, at = channel.id) {
  return post(channel, { content: `${label}: ${text}`, ...more }, [], at);
}

/** Asks a person for a press or a command; returns what `pick` takes from those that come then. */
export async function askForInteraction<T>(
  channel: DiscordChannel,
  request: string,
  pick: (interaction: APIInteraction) => T | undefined,
): Promise<T> {
  requireInteractions(channel);
  return ask(channel.help, request, ({ t, d }) =>
    t === GatewayDispatchEvents.InteractionCreate ? pick(d) : undefined,
  );
}

/** @throws {Ended} if no press and no command can arrive. */
export function requireInteractions({ help }: DiscordChannel): void {
  if (helpFrom(help).endpoint) throw new Ended(sentElsewhere);
}

/** Posts a button, here or in a thread, and asks a person to press it. */
export async function askForPress(
  channel: DiscordChannel,
  name: string,
  request = `Press “${name}” in the channel.`,
  at = channel.id,
): Promise<APIMessageComponentInteraction> {
  requireInteractions(channel);
  // The bot ignores the button: it isn't one of its own.
  const button = { style: ButtonStyle.Secondary, custom_id: 'live-check:press', label: name };
  const row = {
    type: ComponentType.ActionRow,
    components: [{ type: ComponentType.Button, ...button }],
  };
  const { id } = await say(channel, 'please press the button', { components: [row] }, at);
  return askForInteraction(channel, request, (one) =>
    one.type === InteractionType.MessageComponent && one.message.id === id ? one : undefined,
  );
}

/** Answers a press or a command, with a message that only the person sees by default. */
export async function answer(
  channel: DiscordChannel,
  interaction: APIInteraction,
  data: object = { content: 'Thank you.', flags: MessageFlags.Ephemeral },
  type = InteractionResponseType.ChannelMessageWithSource,
): Promise<void> {
  await respond(channel, interaction, { type, data });
  const remove = () => channel.rest.delete(tokenRoute(interaction), { auth: false }).catch(ignoreGone);
  channel.cleanUp.add('the answer to a press or a command', remove);
}

/** Sends the response to a press or a command. */
export async function respond(
  { rest }: DiscordChannel,
  { id, token }: APIInteraction,
  body: object,
): Promise<void> {
  await rest.post(Routes.interactionCallback(id, token), { body, auth: false });
}

/** A message by the token of a press or a command; its answer by default. */
export function tokenRoute({ application_id, token }: APIInteraction, message = '@original') {
  return Routes.webhookMessage(application_id, token, message);
}

/** Deletes messages that this run doesn't know: from a run that was killed, or with a lost response. */
export async function removeLeftovers({ rest, id, me }: DiscordChannel): Promise<void> {
  const query = new URLSearchParams({ limit: '100' });
  const found = await rest.get(Routes.channelMessages(id), { query }).catch(() => []);
  for (const message of found as APIMessage[]) {
    const isLeft = message.content.startsWith(label) || isCheckVoiceMessage(message);
    if (message.author.id === me && isLeft)
      await rest.delete(Routes.channelMessage(id, message.id)).catch(ignoreGone);
  }
}

const sentElsewhere = skipped(
  'Discord sends presses and commands to the Interactions Endpoint URL: try it with another application, or clear the URL meanwhile',
);

/** @throws any error but that a message is gone already. */
export function ignoreGone(error: unknown): void {
  if (errorCode(error) !== RESTJSONErrorCodes.UnknownMessage) throw error;
}

/** Whether a message is the check's voice message, which has no text to recognise it by. */
function isCheckVoiceMessage({ flags, attachments: [file, ...more] }: APIMessage): boolean {
  const isVoice = ((flags ?? 0) & MessageFlags.IsVoiceMessage) !== 0;
  return isVoice && more.length === 0 && file?.size === silentVoiceMessage.bytes.byteLength;
}
