import type { RawFile } from '@discordjs/rest';
import { bytesOf, type Message, type OutgoingFile, PlatformError } from '../../../port/index.ts';
import { bytesInWords } from '../../../words/index.ts';
import { attachmentFields, type MessageBody } from '../api/message-body.ts';
import type { MediaProcessor } from './media-processor.ts';

/** Bytes of a file, if nothing else is known (reference, uploading files). */
export const defaultUploadLimit = 10 * 1024 ** 2;
/** Bytes of a request's files: a request may have 25 MiB, and some of it isn't files. */
export const maxRequestBytes = 25 * 1024 ** 2 - 64 * 1024;
/** Bytes of an image that is re-encoded to fit. */
export const maxImageBytes = 64 * 1024 ** 2;

/** Files as a request sends them. */
export interface Uploads {
  readonly raw: readonly RawFile[];
  readonly attachments: NonNullable<MessageBody['attachments']>;
  /** Lines for the end of the text: links to the originals of images that were re-encoded. */
  readonly notes: readonly string[];
}

/**
 * Reads the files of a message. An image over `limit` bytes is re-encoded, and so are several that are too large together.
 * @throws {PlatformError} `too-large` if a file doesn't fit; its detail is the limit.
 */
export async function uploadsOf(
  { files = [], spoiler }: Message,
  limit: number,
  media: MediaProcessor,
): Promise<Uploads> {
  const raw: RawFile[] = [];
  const notes: string[] = [];
  let total = 0;
  const isTooMuch = files.reduce((sum, { size }) => sum + size, 0) > maxRequestBytes;
  const share = isTooMuch ? Math.min(limit, Math.floor(maxRequestBytes / files.length)) : limit;
  for (const file of files) {
    const most = file.kind === 'image' ? share : limit;
    const fitted = file.size > most ? await shrunk(file, most, media) : undefined;
    const upload = fitted ?? { name: file.name, contentType: file.contentType, data: await bytesOf(file) };
    total += upload.data.byteLength;
    if (upload.data.byteLength > limit || total > maxRequestBytes) throw tooLarge(limit);
    if (fitted && file.original !== undefined)
      notes.push(`-# ${bytesInWords(file.size)}: <${file.original}>`);
    // Older clients know a hidden file by its name alone.
    const name = spoiler ? `SPOILER_${upload.name}` : upload.name;
    raw.push({ ...upload, name, data: Buffer.from(upload.data) });
  }
  const described = files.map(({ description }, index) => ({ name: raw[index]?.name ?? '', description }));
  return { raw, attachments: attachmentFields(described, spoiler), notes };
}

async function shrunk(file: OutgoingFile, limit: number, media: MediaProcessor) {
  if (file.kind !== 'image' || file.size > maxImageBytes) throw tooLarge(limit);
  const image = await media.shrinkImage(() => bytesOf(file), limit);
  if (!image) throw tooLarge(limit);
  const name = `${file.name.replace(/\.[^.]*$/, '')}.${image.extension}`;
  return { name, contentType: image.contentType, data: image.bytes };
}

function tooLarge(limit: number): PlatformError {
  return new PlatformError('too-large', bytesInWords(limit));
}
