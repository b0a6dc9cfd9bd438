import { AttachmentFlags, ComponentType } from 'discord-api-types/v10';
import { type Fields, isFields } from '../http/fields.ts';
import type { Message, StoredFile } from '../model.ts';
import { galleryItems, mediaItems, shownFile } from '../rules/gallery-rules.ts';
import type { World } from '../world.ts';
import { interactionMetadata } from './interaction-metadata.ts';
import { channelBody, iso, userBody } from './serialize.ts';

/** A stored file; its URL is signed for a day. */
export function fileBody(world: World, file: StoredFile, ephemeral: boolean): Fields {
  const url = signedAddress(world, file.url);
  return {
    id: file.id,
    filename: file.name,
    size: file.bytes.length,
    url,
    proxy_url: url,
    ...typeOf(file),
    ...(file.description !== undefined && { description: file.description }),
    ...(file.durationSeconds !== undefined && { duration_secs: file.durationSeconds }),
    ...(file.waveform !== undefined && { waveform: file.waveform }),
    ...(file.contentType.startsWith('image/') && { width: 64, height: 64 }),
    ...(file.spoiler && { flags: AttachmentFlags.IsSpoiler }),
    ...(ephemeral && { ephemeral: true }),
  };
}

/** Optional (resources/message): of some files Discord doesn't tell it. */
function typeOf({ contentType }: StoredFile): Fields {
  return contentType === '' ? {} : { content_type: contentType };
}

const signatureLifetime = 86_400_000;

/** `ex` is the expiry in hexadecimal seconds, as in Discord's own URLs. */
export function signedAddress(world: World, url: string): string {
  const seconds = Math.floor((world.clock.now() + signatureLifetime) / 1000).toString(16);
  return `${url}?ex=${seconds}&is=${seconds}&hm=${'0'.repeat(64)}&`;
}

/** A message as the REST API returns it. */
export function messageBody(world: World, message: Message): Fields {
  const interaction = message.interactionId ? world.interactions.get(message.interactionId) : undefined;
  const replied = message.replyTo ? world.messages.get(message.replyTo) : undefined;
  const forwarded = message.forwardOf ? world.messages.get(message.forwardOf) : undefined;
  const copied = message.copyOf ? world.messages.get(message.copyOf) : undefined;
  const thread = world.channels.get(message.id);
  return {
    id: message.id,
    type: message.type ?? (message.replyTo ? 19 : interaction?.kind === 'command' ? 20 : 0),
    channel_id: message.channelId,
    author: userBody(world.user(message.authorId)),
    content: message.content,
    timestamp: iso(message.createdAt),
    edited_timestamp: message.editedAt === undefined ? null : iso(message.editedAt),
    tts: false,
    pinned: false,
    mention_everyone: message.mentionEveryone,
    mentions: message.mentions.map((id) => userBody(world.user(id))),
    mention_roles: message.mentionRoles,
    // What components show isn't listed (resources/message; discord-api-docs#8279).
    attachments: unshown(message).map((file) => fileBody(world, file, message.onlyFor !== undefined)),
    embeds: message.embeds.map((embed) => ({ type: 'rich', ...embed })),
    components: message.components.map((component, index) =>
      componentBody(world, component, index + 1, message.files),
    ),
    flags: message.flags,
    ...(message.poll && { poll: pollBody(world, message, message.poll) }),
    ...(message.stickers && {
      sticker_items: message.stickers.map((name) => ({ id: message.id, name, format_type: 1 })),
    }),
    ...(message.nonce !== undefined && { nonce: message.nonce }),
    ...(thread?.thread && { thread: channelBody(world, thread) }),
    ...(message.replyTo && {
      message_reference: { type: 0, channel_id: message.channelId, message_id: message.replyTo },
      referenced_message: replied && !replied.deleted ? withoutReply(messageBody(world, replied)) : null,
    }),
    ...(copied && {
      webhook_id: message.authorId,
      message_reference: {
        type: 0,
        channel_id: copied.channelId,
        message_id: copied.id,
        guild_id: world.channels.get(copied.channelId)?.guildId,
      },
    }),
    ...(forwarded && {
      message_reference: { type: 1, channel_id: forwarded.channelId, message_id: forwarded.id },
      message_snapshots: [{ message: snapshotBody(messageBody(world, forwarded)) }],
    }),
    ...(interaction && {
      application_id: world.applicationId,
      webhook_id: world.applicationId,
      interaction_metadata: interactionMetadata(world, interaction),
    }),
  };
}

/** A poll that nobody has voted in yet (resources/poll). */
function pollBody(
  { clock }: World,
  { createdAt }: Message,
  { question, answers }: NonNullable<Message['poll']>,
): Fields {
  return {
    question: { text: question },
    answers: answers.map((said, index) => ({
      answer_id: index + 1,
      poll_media: typeof said === 'string' ? { text: said } : said,
    })),
    expiry: iso(createdAt + 86_400_000),
    allow_multiselect: false,
    layout_type: 1,
    results: { is_finalized: clock.now() > createdAt + 86_400_000, answer_counts: [] },
  };
}

/** The snapshot of a forwarded message (resources/message, message snapshot). */
function snapshotBody(body: Fields): Fields {
  const { type, content, mentions, mention_roles, attachments, embeds, timestamp, edited_timestamp } = body;
  const words = { type, content, mentions, mention_roles, attachments, embeds };
  const { flags, components, sticker_items } = body;
  const more = { flags, components, ...(sticker_items !== undefined && { sticker_items }) };
  return { ...words, timestamp, edited_timestamp, ...more };
}

function withoutReply(body: Fields): Fields {
  const { referenced_message, thread, ...rest } = body;
  return rest;
}

/** The files that no component shows. */
function unshown({ components, files }: Message): readonly StoredFile[] {
  const items = [...galleryItems(components), ...mediaItems(components)];
  const shown = items.map((item) => shownFile(item, files));
  return files.filter((file) => !shown.includes(file));
}

function componentBody(world: World, component: Fields, id: number, files: readonly StoredFile[]): Fields {
  const nested = component.components;
  const body: Record<string, unknown> = { ...component, id: component.id ?? id };
  for (const [name, value] of Object.entries(body)) if (value === null) delete body[name];
  if (Array.isArray(nested))
    body.components = nested
      .filter(isFields)
      .map((child, index) => componentBody(world, child, id * 100 + index, files));
  if (Array.isArray(component.items))
    body.items = component.items.filter(isFields).map((item) => itemBody(world, item, files));
  if (isFields(component.accessory) && component.accessory.media !== undefined)
    body.accessory = { ...component.accessory, ...itemBody(world, component.accessory, files) };
  if (component.type === ComponentType.File) Object.assign(body, fileItemBody(world, component, files));
  return body;
}

/** A file that a component shows by itself (components/reference, file). */
function fileItemBody(world: World, { file, spoiler = false }: Fields, files: readonly StoredFile[]): Fields {
  const { media } = itemBody(world, { media: file } as Fields, files);
  const stored = shownFile({ media: file } as Fields, files);
  return { file: media, spoiler, ...(stored && { name: stored.name, size: stored.bytes.length }) };
}

/** An item of a media gallery, with the address of the file it shows (components/reference, unfurled media item). */
function itemBody(world: World, item: Fields, files: readonly StoredFile[]): Fields {
  const file = shownFile(item, files);
  const { description = null, spoiler = false } = item;
  if (!file) return { ...item, description, spoiler };
  const url = signedAddress(world, file.url);
  const sizes = file.contentType.startsWith('image/') ? { width: 64, height: 64 } : {};
  const media = { id: file.id, attachment_id: file.id, url, proxy_url: url, ...typeOf(file) };
  return { media: { ...media, ...sizes }, description, spoiler };
}
