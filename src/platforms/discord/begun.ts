import { type APIMessage, type APIMessageTopLevelComponent, ComponentType, MessageFlags } from 'discord.js';
import { type Begun, type FoundAnswer, OutletError } from '../../port/index.ts';
import { nonceOf } from './nonce.ts';
import { type RouteParts, tokenRoute } from './routes.ts';
import { areSnowflakes } from './snowflakes.ts';
import { channelOf, ticketIn, ticketOf } from './ticket.ts';

const pageSize = 100;
/** So many pages of what was written since are looked through at most. */
const maxPages = 5;

/**
 * The first message of an answer whose process died before it knew of it: what took the place of the loading message
 * while the interaction's token lives, else what stands in the channel since the event.
 */
export async function findBegun(parts: RouteParts, job: Begun): Promise<FoundAnswer | undefined> {
  const found = (await byToken(parts, job)) ?? (await inChannel(parts, job));
  return (
    found && {
      message: { ...job.address, message: found.id },
      text: found.content,
      files: found.attachments.length,
    }
  );
}

async function byToken(
  parts: RouteParts,
  { address, acknowledgement = {} }: Begun,
): Promise<APIMessage | undefined> {
  const ticket = ticketOf(address) ?? ticketIn(acknowledgement);
  if (!ticket) return undefined;
  const original = await unlessRefused(tokenRoute(parts, ticket).get('@original'));
  return ((original?.flags ?? 0) & MessageFlags.Loading) === 0 ? original : undefined;
}

async function inChannel(parts: RouteParts, job: Begun): Promise<APIMessage | undefined> {
  const { address, eventId = '' } = job;
  if (ticketOf(address) || !areSnowflakes(eventId)) return undefined;
  let after = eventId;
  for (let page = 0; page < maxPages; page++) {
    const messages = await unlessRefused(parts.api.messagesAfter(channelOf(address), after, pageSize));
    const found = messages?.findLast((message) => answers(message, job, parts.applicationId()));
    const [newest] = messages ?? [];
    if (found || !newest || (messages?.length ?? 0) < pageSize) return found;
    after = newest.id;
  }
  return undefined;
}

/** Whether a message answers an event: by its nonce, what it replies to, or the job that its buttons name. */
function answers(message: APIMessage, { id, eventId = '' }: Begun, bot: string): boolean {
  const { nonce, interaction_metadata: interaction, message_reference: reference, components = [] } = message;
  const isOwn = message.author.id === bot || message.application_id === bot;
  const isLoading = ((message.flags ?? 0) & MessageFlags.Loading) !== 0;
  if (!isOwn || isLoading) return false;
  return (
    nonces(eventId).includes(String(nonce)) ||
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
function nonces(eventId: string): readonly string[] {
  return [nonceOf(eventId, 'say 0'), nonceOf(eventId, 'live 0')];
}

/** What may not be read is not found. */
async function unlessRefused<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof OutletError) || error.kind === 'unreachable') throw error;
    return undefined;
  }
}
