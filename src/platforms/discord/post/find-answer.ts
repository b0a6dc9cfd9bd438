import {
  type APIMessage,
  type APIMessageTopLevelComponent,
  ComponentType,
  MessageFlags,
} from 'discord-api-types/v10';
import {
  type Address,
  type AnsweredJob,
  answerKey,
  directKey,
  type MessageAddress,
  type PostedAnswer,
  undefinedIfRefused,
} from '../../../port/index.ts';
import { helpEventOf } from '../../../words/spoken-request.ts';
import {
  areSnowflakes,
  channelIdOf,
  type InteractionToken,
  isDirectMessage,
  messageBody,
  nonceOf,
  serializeToken,
  tokenOfAddress,
  tokensOf,
} from '../api/messages.ts';
import { type Identity, isOwnMessage } from '../connection/own-application.ts';
import { filesShownIn, textShownIn } from '../media/attached-files.ts';
import { accessByToken, isLoading } from './message-access.ts';
import { findMessageAfter, fingerprint, isMessage, partKey } from './posted-messages.ts';
import type { DiscordServices } from './services.ts';

type Services = Pick<DiscordServices, 'api' | 'clock' | 'identity' | 'postedMessages'>;

/** Pages of newer messages that are searched at most. */
const maxPages = 5;

/**
 * The first message of an answer whose process died before it learnt the message's id: the one that replaced the
 * loading message, while the interaction's token is valid, else one in the channel after the event.
 */
export async function findAnswer(
  services: Services,
  job: AnsweredJob,
): Promise<(PostedAnswer & { readonly files: number }) | undefined> {
  for (const token of tokensOf(job)) {
    const original = await originalResponse(services, job, token);
    if (original) return foundAt(withinReach(job.address, original, token), original);
  }
  const found = await firstInChannel(services, job);
  return found && foundAt(job.address, found);
}

/** The bot itself doesn't reach what only one person sees, nor anything where it isn't a member. */
function withinReach(address: Address, { flags }: APIMessage, token: InteractionToken): Address {
  const isHidden = ((flags ?? 0) & MessageFlags.Ephemeral) !== 0;
  return isHidden || tokenOfAddress(address) ? { ...address, platformData: serializeToken(token) } : address;
}

/**
 * The message in which a growing answer continues after those that are known, found by its nonce, its Stop button, or its
 * text where that's finished: then it has no button. Messages that were written by an interaction's token can't be found.
 */
export async function findContinuation(
  services: Services,
  { id, eventId = '' }: AnsweredJob,
  known: readonly MessageAddress[],
  text: string | undefined,
): Promise<PostedAnswer | undefined> {
  const last = known.at(-1);
  if (!last || tokenOfAddress(last) || !areSnowflakes(last.message)) return undefined;
  const nonce = nonceOf(eventId, `live ${known.length}`);
  const fingerprints = text === undefined ? [] : [fingerprint(messageBody(text), [])];
  const matches = (message: APIMessage) =>
    isMessage(message, { nonce, fingerprints }, services.identity()) ||
    (isOwnMessage(message, services.identity()) &&
      message.components?.some((row) => hasButtonOf(row, id)) === true);
  const found = await undefinedIfRefused(
    findMessageAfter(services.api, channelIdOf(last), last.message, matches, maxPages),
  );
  return found && foundAt(last, found);
}

/** The message with a job's files and buttons, in the thread under its announcement or after that. */
export async function findResult(
  { api, identity }: Services,
  { message: announcement, platformData: _, ...address }: MessageAddress,
  { id }: AnsweredJob,
): Promise<MessageAddress | undefined> {
  const matches = (message: APIMessage) =>
    isOwnMessage(message, identity()) &&
    filesShownIn(message).length > 0 &&
    message.components?.some((row) => hasButtonOf(row, id)) === true;
  for (const place of [{ ...address, thread: announcement }, address]) {
    const search = findMessageAfter(api, channelIdOf(place), announcement, matches, maxPages);
    const found = await undefinedIfRefused(search);
    if (found) return { ...place, message: found.id };
  }
  return undefined;
}

function foundAt(address: AnsweredJob['address'], message: APIMessage) {
  const files = filesShownIn(message).length;
  return { message: { ...address, message: message.id }, text: textShownIn(message), files };
}

async function originalResponse(
  services: Services,
  { eventId }: AnsweredJob,
  token: InteractionToken,
): Promise<APIMessage | undefined> {
  const original = await undefinedIfRefused(accessByToken(services, token).get('@original'));
  if (!original || isLoading(original)) return undefined;
  // A confirmed command is answered by the token of the button: the command's own shows the confirmation.
  const { interaction_metadata: interaction } = original;
  return interaction === undefined || interaction.id === eventId ? original : undefined;
}

async function firstInChannel(services: Services, job: AnsweredJob): Promise<APIMessage | undefined> {
  const { api, identity, postedMessages } = services;
  const { address, eventId = '' } = job;
  // What only one person sees isn't in the channel's history.
  const isHidden = address.onlyFor !== undefined && !isDirectMessage(address);
  if (isHidden || tokenOfAddress(address) || !areSnowflakes(eventId)) return undefined;
  const channel = channelIdOf(address);
  // What a message was answered with before it was edited replies to it, too.
  const help = await postedMessages.idOf(channel, partKey(answerKey(helpEventOf(eventId), 0), 0));
  const matches = (message: APIMessage) => message.id !== help && isAnswerTo(job, message, identity());
  const found = await undefinedIfRefused(findMessageAfter(api, channel, eventId, matches, maxPages));
  if (found) return found;
  for (const key of firstKeys(eventId)) {
    const started = await undefinedIfRefused(postedMessages.findStarted(channel, key));
    if (started) return started;
  }
  return undefined;
}

/** Whether a message answers a job: by its nonce, what it replies to, or the job in the ids of its buttons. */
function isAnswerTo({ id, eventId = '', address }: AnsweredJob, message: APIMessage, bot: Identity): boolean {
  const { nonce, interaction_metadata: interaction, message_reference: reference, components = [] } = message;
  if (!isOwnMessage(message, bot) || isLoading(message)) return false;
  return (
    firstNonces(channelIdOf(address), eventId).includes(String(nonce)) ||
    interaction?.id === eventId ||
    reference?.message_id === eventId ||
    components.some((row) => hasButtonOf(row, id))
  );
}

function hasButtonOf(row: APIMessageTopLevelComponent, job: string): boolean {
  if (row.type !== ComponentType.ActionRow) return false;
  return row.components.some((button) => 'custom_id' in button && button.custom_id.endsWith(`:${job}`));
}

/** The nonces that the first message of an answer may have: finished or growing. */
function firstNonces(channel: string, eventId: string): readonly string[] {
  return [...firstKeys(eventId).map((key) => nonceOf(channel, key)), nonceOf(eventId, 'live 0')];
}

/** Its keys where it's finished: where it was asked for, and in direct messages. */
function firstKeys(eventId: string): readonly string[] {
  return [answerKey(eventId, 0), directKey(eventId)].map((key) => partKey(key, 0));
}
