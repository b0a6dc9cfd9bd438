import {
  type APIAttachment,
  type APIMediaGalleryItem,
  type APIMessage,
  type APIMessageTopLevelComponent,
  AttachmentFlags,
  ComponentType,
} from 'discord-api-types/v10';
import { readAtMost } from '../../../http/index.ts';
import { typeByName } from '../../../lib/file-types.ts';
import { type IncomingFile, PlatformError } from '../../../port/index.ts';
import { bytesInWords } from '../../../words/index.ts';

/** A file that a message shows. */
export type ShownFile = Pick<
  APIAttachment,
  'id' | 'filename' | 'content_type' | 'url' | 'flags' | 'description'
> & {
  /** In bytes; unknown of pictures and videos that components show. */
  readonly size?: number;
};

/** The files of a message, in order. What components show isn't among the attachments (resources/message). */
export function filesShownIn({
  attachments,
  components = [],
}: Pick<APIMessage, 'attachments' | 'components'>): readonly ShownFile[] {
  const known = new Set(attachments.map(({ id }) => id));
  return [...attachments, ...components.flatMap(filesOfComponent).filter(({ id }) => !known.has(id))];
}

/**
 * The files of a message as a command reads them. If the bot can read the message again, their source names it, since addresses
 * expire.
 */
export function shownFiles(message: APIMessage, botCanRead: boolean): readonly IncomingFile[] {
  const { id, channel_id: channel } = message;
  return filesShownIn(message).map((file) => ({
    ...incomingFile(file),
    ...(botCanRead && { source: `${channel}/${id}/${file.id}` }),
  }));
}

/** A file that's known by its address only. */
export function incomingFile(file: ShownFile): IncomingFile {
  const { filename: name, size = 0, url } = file;
  return { name, contentType: typeOf(file), size, url, source: url, ...spoilerIn(file) };
}

/** Discord doesn't always tell it (resources/message). */
export function typeOf({ filename, content_type: type }: ShownFile): string {
  return type || typeByName(filename);
}

/** The text of a message: its content, or what its components say. */
export function textShownIn({
  content,
  components = [],
}: Pick<APIMessage, 'content' | 'components'>): string {
  const texts = components.flatMap((one) => (one.type === ComponentType.TextDisplay ? [one.content] : []));
  return [content, ...texts].filter(Boolean).join('\n');
}

/** What a gallery shows, a thumbnail beside a text, or a file by itself, also inside others (components/reference). */
function filesOfComponent(component: APIMessageTopLevelComponent): readonly ShownFile[] {
  switch (component.type) {
    case ComponentType.Container:
      return component.components.flatMap(filesOfComponent);
    case ComponentType.Section: {
      const { accessory } = component;
      return accessory.type === ComponentType.Thumbnail ? uploaded(accessory) : [];
    }
    case ComponentType.MediaGallery:
      return component.items.flatMap(uploaded);
    case ComponentType.File:
      return uploaded({ ...component, media: component.file });
    default:
      return [];
  }
}

/** What a component shows, if that was uploaded: others' addresses aren't read. */
function uploaded({
  media: { url, attachment_id: id, content_type },
  description,
  spoiler,
  size,
}: Pick<APIMediaGalleryItem, 'media' | 'description' | 'spoiler'> & {
  readonly size?: number;
}): readonly ShownFile[] {
  if (id === undefined) return [];
  return [
    {
      ...{ id, url, filename: fileNameIn(url) },
      ...(content_type && { content_type }),
      ...(description && { description }),
      ...(spoiler && { flags: AttachmentFlags.IsSpoiler }),
      ...(size !== undefined && { size }),
    },
  ];
}

/** Whether a file stays hidden until somebody clicks it (resources/message): older clients hide it only by its name. */
export function spoilerIn({ filename, flags }: Pick<APIAttachment, 'filename' | 'flags'>): {
  readonly spoiler?: true;
} {
  return filename.startsWith(hiddenName) || ((flags ?? 0) & AttachmentFlags.IsSpoiler) !== 0
    ? { spoiler: true }
    : {};
}

/** What the name of a hidden file begins with. */
export const hiddenName = 'SPOILER_';

/** The name of a file in its address on Discord. */
export function fileNameIn(url: string): string {
  return decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '');
}

/** Discord's hosts for attached files. Nothing is fetched from others. */
const hosts = new Set(['cdn.discordapp.com', 'media.discordapp.net']);
/** Milliseconds that a download may take. */
const timeout = 60_000;

/** Reads a file of at most `maxBytes`. */
export type Download = (url: string, maxBytes: number) => Promise<Uint8Array>;

/**
 * Reads a file that a person attached.
 * @throws {PlatformError} `too-large`; `gone` if its URL has expired; `unreachable`, where it may be read later.
 */
export async function download(url: string, maxBytes: number): Promise<Uint8Array> {
  const { protocol, host } = new URL(url);
  if (protocol !== 'https:' || !hosts.has(host)) throw new PlatformError('gone');
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeout) });
    if (!response.ok) {
      await response.body?.cancel().catch(() => {});
      const mayPass = response.status === 429 || response.status >= 500;
      throw new PlatformError(mayPass ? 'unreachable' : 'gone');
    }
    const bytes = await readAtMost(response, maxBytes);
    if (bytes === 'too-large') throw new PlatformError('too-large', bytesInWords(maxBytes));
    return bytes;
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    throw new PlatformError('unreachable', undefined, { cause: error });
  }
}
