import { type APIMessage, type APIMessageTopLevelComponent, ComponentType, MessageFlags } from 'discord.js';
import { type AnsweredJob, answerKey, type FoundAnswer, type MessageAddress } from '../../../port/index.ts';
import { type RouteDependencies, tokenRoute } from '../api/routes.ts';
import { areSnowflakes } from '../api/snowflakes.ts';
import { channelOf, tokenIn, tokenOf } from '../reply/interaction-token.ts';
import { nonceOf } from './nonce.ts';
import { partKey } from './posts.ts';
import { firstAfter, unlessRefused } from './search.ts';

/** So many pages of what was written since are looked through at most. */
const maxPages = 5;

/**
 * The first message of an answer whose process died before it knew of it: what took the place of the loading message
 * while the interaction's token lives, else what stands in the channel since the event.
 */
export async function findBegun(
  dependencies: RouteDependencies,
  job: AnsweredJob,
): Promise<FoundAnswer | undefined> {
  const found = (await byToken(dependencies, job)) ?? (await first(dependencies, job));
  return found && foundAt(job.address, found);
}

/**
 * The message in which a growing answer went on below those that are known: by its nonce, or its Stop button. What was
 * written by an interaction's token alone cannot be found.
 */
export async function findFurther(
  dependencies: RouteDependencies,
  { id, eventId = '' }: AnsweredJob,
  known: readonly MessageAddress[],
): Promise<FoundAnswer | undefined> {
  const last = known.at(-1);
  if (!last || tokenOf(last) || !areSnowflakes(last.message)) return undefined;
  const nonce = nonceOf(eventId, `live ${known.length}`);
  const fits = (message: APIMessage) =>
    isOwn(message, dependencies.applicationId()) &&
    (message.nonce === nonce || message.components?.some((row) => hasButtonOf(row, id)) === true);
  const found = await unlessRefused(
    firstAfter(dependencies.api, channelOf(last), last.message, fits, maxPages),
  );
  return found && foundAt(last, found);
}

function foundAt(place: AnsweredJob['address'], { id, content, attachments }: APIMessage): FoundAnswer {
  return { message: { ...place, message: id }, text: content, files: attachments.length };
}

async function byToken(
  dependencies: RouteDependencies,
  { address, acknowledgement = {}, eventId }: AnsweredJob,
): Promise<APIMessage | undefined> {
  const token = tokenOf(address) ?? tokenIn(acknowledgement);
  if (!token) return undefined;
  const original = await unlessRefused(tokenRoute(dependencies, token).get('@original'));
  // What was confirmed is answered in the press: under the command's own token stands the question.
  const { flags = 0, interaction_metadata: answered } = original ?? {};
  const isOfEvent = answered === undefined || answered.id === eventId;
  return isOfEvent && (flags & MessageFlags.Loading) === 0 ? original : undefined;
}

async function first(dependencies: RouteDependencies, job: AnsweredJob): Promise<APIMessage | undefined> {
  const { address, eventId = '' } = job;
  if (tokenOf(address) || !areSnowflakes(eventId)) return undefined;
  const fits = (message: APIMessage) => answers(message, job, dependencies.applicationId());
  const channel = channelOf(address);
  const found = await unlessRefused(firstAfter(dependencies.api, channel, eventId, fits, maxPages));
  return found ?? unlessRefused(dependencies.posts.begun(channel, partKey(answerKey(eventId, 0), 0)));
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
    nonces(channelOf(address), eventId).includes(String(nonce)) ||
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
