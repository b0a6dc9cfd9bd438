import { type APIMessage, type APIMessageTopLevelComponent, ComponentType, MessageFlags } from 'discord.js';
import { type AnsweredJob, answerKey, type MessageAddress, type PostedAnswer } from '../../../port/index.ts';
import { accessByToken, type PostingDependencies } from '../api/message-access.ts';
import { nonceOf } from '../api/nonce.ts';
import { areSnowflakes } from '../api/snowflakes.ts';
import { channelIdOf, parseToken, tokenOfAddress } from '../reply/interaction-token.ts';
import { findMessageAfter, undefinedIfRefused } from './find-message.ts';
import { partKey } from './posted-messages.ts';

/** So many pages of what was written since are looked through at most. */
const maxPages = 5;

/**
 * The first message of an answer whose process died before it knew of it: what took the place of the loading message
 * while the interaction's token lives, else what stands in the channel since the event.
 */
export async function findAnswer(
  dependencies: PostingDependencies,
  job: AnsweredJob,
): Promise<PostedAnswer | undefined> {
  const found = (await byToken(dependencies, job)) ?? (await first(dependencies, job));
  return found && foundAt(job.address, found);
}

/**
 * The message in which a growing answer went on below those that are known: by its nonce, or its Stop button. What was
 * written by an interaction's token alone cannot be found.
 */
export async function findContinuation(
  dependencies: PostingDependencies,
  { id, eventId = '' }: AnsweredJob,
  known: readonly MessageAddress[],
): Promise<PostedAnswer | undefined> {
  const last = known.at(-1);
  if (!last || tokenOfAddress(last) || !areSnowflakes(last.message)) return undefined;
  const nonce = nonceOf(eventId, `live ${known.length}`);
  const fits = (message: APIMessage) =>
    isOwn(message, dependencies.applicationId()) &&
    (message.nonce === nonce || message.components?.some((row) => hasButtonOf(row, id)) === true);
  const found = await undefinedIfRefused(
    findMessageAfter(dependencies.api, channelIdOf(last), last.message, fits, maxPages),
  );
  return found && foundAt(last, found);
}

function foundAt(place: AnsweredJob['address'], { id, content, attachments }: APIMessage): PostedAnswer {
  return { message: { ...place, message: id }, text: content, files: attachments.length };
}

async function byToken(
  dependencies: PostingDependencies,
  { address, acknowledgement = {}, eventId }: AnsweredJob,
): Promise<APIMessage | undefined> {
  const token = tokenOfAddress(address) ?? parseToken(acknowledgement);
  if (!token) return undefined;
  const original = await undefinedIfRefused(accessByToken(dependencies, token).get('@original'));
  // What was confirmed is answered in the press: under the command's own token stands the question.
  const { flags = 0, interaction_metadata: answered } = original ?? {};
  const isOfEvent = answered === undefined || answered.id === eventId;
  return isOfEvent && (flags & MessageFlags.Loading) === 0 ? original : undefined;
}

async function first(dependencies: PostingDependencies, job: AnsweredJob): Promise<APIMessage | undefined> {
  const { address, eventId = '' } = job;
  if (tokenOfAddress(address) || !areSnowflakes(eventId)) return undefined;
  const fits = (message: APIMessage) => answers(message, job, dependencies.applicationId());
  const channel = channelIdOf(address);
  const found = await undefinedIfRefused(
    findMessageAfter(dependencies.api, channel, eventId, fits, maxPages),
  );
  return (
    found ??
    undefinedIfRefused(dependencies.postedMessages.findStarted(channel, partKey(answerKey(eventId, 0), 0)))
  );
}

function isOwn({ author, application_id: application }: APIMessage, bot: string): boolean {
  return author.id === bot || application === bot;
}

/** Whether a message answers an event: by its nonce, what it replies to, or the job that its buttons name. */
function answers(message: APIMessage, { id, eventId = '', address }: AnsweredJob, bot: string): boolean {
  const { nonce, interaction_metadata: interaction, message_reference: reference, components = [] } = message;
  const isLoading = ((message.flags ?? 0) & MessageFlags.Loading) !== 0;
  if (!isOwn(message, bot) || isLoading) return false;
  return (
    nonces(channelIdOf(address), eventId).includes(String(nonce)) ||
    interaction?.id === eventId ||
    reference?.message_id === eventId ||
    components.some((row) => hasButtonOf(row, id))
  );
}

function hasButtonOf(row: APIMessageTopLevelComponent, job: string): boolean {
  if (row.type !== ComponentType.ActionRow) return false;
  return row.components.some((button) => 'custom_id' in button && button.custom_id.endsWith(`:${job}`));
}

/** The nonces of the message with which an answer may begin. */
function nonces(channel: string, eventId: string): readonly string[] {
  return [nonceOf(channel, partKey(answerKey(eventId, 0), 0)), nonceOf(eventId, 'live 0')];
}
