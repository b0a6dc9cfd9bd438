import { type APIMessage, MessageReferenceType } from 'discord-api-types/v10';
import { messageSource, placeSource } from '../../../../conversation/index.ts';
import { PlatformError } from '../../../../port/index.ts';
import { areSnowflakes } from '../../api/address.ts';
import type { DiscordServices } from '../../post/services.ts';
import type { ReadableMessage } from './message-text.ts';

/** The id of the message that another one replies to; undefined for a forward. */
export function repliedMessageId({
  message_reference: reference,
}: Pick<APIMessage, 'message_reference'>): string | undefined {
  const { type = MessageReferenceType.Default, message_id: id } = reference ?? {};
  return type === MessageReferenceType.Default && areSnowflakes(id) ? id : undefined;
}

/** What a quote of what a message forwards is forgotten with: the message that was forwarded, and its channel or thread. */
export function forwardedSources({
  message_reference: reference,
}: Pick<APIMessage, 'message_reference'>): readonly string[] {
  const { type, message_id: id, channel_id: channel } = reference ?? {};
  if (type !== MessageReferenceType.Forward) return [];
  return [
    ...(id !== undefined && areSnowflakes(id) ? [messageSource('discord', id)] : []),
    ...(channel !== undefined && areSnowflakes(channel) ? [placeSource('discord', channel)] : []),
  ];
}

/** What a quote of a message is forgotten with: the message itself, and what it forwards. */
export function sourcesOf(message: Pick<APIMessage, 'id' | 'message_reference'>): readonly string[] {
  return [messageSource('discord', message.id), ...forwardedSources(message)];
}

/**
 * The message that another one replies to: as it came with the event, else read from the channel; `withheld` if Discord
 * doesn't show what it says, which it does without the intent MESSAGE_CONTENT (events/gateway), or if it's gone.
 */
export async function referencedMessage(
  { api, gateway }: Pick<DiscordServices, 'api' | 'gateway'>,
  message: APIMessage,
): Promise<APIMessage | 'withheld' | undefined> {
  const id = repliedMessageId(message);
  if (id === undefined) return undefined;
  const { channel_id: channelId, referenced_message: fromEvent } = message;
  if (fromEvent?.id === id && saysSomething(fromEvent)) return fromEvent;
  if (gateway.missingPermissions(channelId, ['View Channels', 'Read Message History']).length > 0)
    return 'withheld';
  try {
    const read = await api.message(channelId, id);
    return saysSomething(read) ? read : 'withheld';
  } catch (error) {
    if (error instanceof PlatformError) return 'withheld';
    throw error;
  }
}

/** Whether a message shows anything: without the intent, Discord empties all it can say. */
export function saysSomething(message: ReadableMessage): boolean {
  const { content, attachments, embeds, components, sticker_items, message_snapshots, poll } = message;
  const said = [content, attachments, embeds, components, sticker_items, message_snapshots];
  return poll !== undefined || said.some((part) => part !== undefined && part.length > 0);
}
