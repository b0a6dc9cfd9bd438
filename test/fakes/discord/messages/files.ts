import { type Fields, objectsAt, textAt } from '../http/fields.ts';
import type { UploadedFile } from '../http/form-data.ts';
import { invalidField } from '../http/refusal.ts';
import type { StoredFile } from '../model.ts';
import type { World } from '../world.ts';

const cdn = 'https://cdn.discordapp.com';

/** Stores uploaded files in the order of `attachments`, with the descriptions given there. */
export function storeFiles(
  world: World,
  channelId: string,
  body: Fields,
  uploads: readonly UploadedFile[],
): StoredFile[] {
  const listed = objectsAt(body, 'attachments');
  return uploads.map((upload) => {
    const metadata = listed.find((attachment) => String(attachment.id) === upload.key) ?? {};
    const stated = textAt(metadata, 'filename', { min: 1, max: 1024, path: 'attachments.filename' });
    return storeFile(world, channelId, {
      name: stated ?? upload.name,
      contentType: upload.contentType || 'application/octet-stream',
      bytes: upload.bytes,
      description: textAt(metadata, 'description', { max: 1024, path: 'attachments.description' }),
      durationSeconds: typeof metadata.duration_secs === 'number' ? metadata.duration_secs : undefined,
      waveform: typeof metadata.waveform === 'string' ? metadata.waveform : undefined,
      spoiler: metadata.is_spoiler === true,
    });
  });
}

/** Stores one file under a URL of its own. */
export function storeFile(
  world: World,
  channelId: string,
  file: Pick<StoredFile, 'name' | 'contentType' | 'bytes'> & Partial<StoredFile>,
): StoredFile {
  const id = world.ids.next();
  const name = file.name.replaceAll(/[^\p{L}\p{N}._-]/gu, '_');
  const url = `${cdn}/attachments/${channelId}/${id}/${encodeURIComponent(name)}`;
  world.files.set(url, file.bytes);
  return {
    id,
    name,
    contentType: file.contentType,
    bytes: file.bytes,
    description: file.description,
    durationSeconds: file.durationSeconds,
    waveform: file.waveform,
    spoiler: file.spoiler === true || name.startsWith('SPOILER_'),
    url,
  };
}

/**
 * The files of a message after an edit: exactly those listed, old ones by their id, new ones by the number
 * of their part. Without a list the old ones stay and new ones are appended.
 */
export function filesAfterEdit(
  world: World,
  channelId: string,
  body: Fields,
  uploads: readonly UploadedFile[],
  present: readonly StoredFile[],
): readonly StoredFile[] {
  const added = storeFiles(world, channelId, body, uploads);
  if (body.attachments === undefined || body.attachments === null) return [...present, ...added];
  const kept: StoredFile[] = [];
  for (const [index, attachment] of objectsAt(body, 'attachments').entries()) {
    const id = String(attachment.id);
    if (uploads.some((upload) => upload.key === id)) continue;
    const old = present.find((file) => file.id === id);
    if (!old)
      throw invalidField(
        `attachments.${index}.id`,
        'ATTACHMENT_NOT_FOUND',
        `No attachment ${id} on this message.`,
      );
    kept.push(old);
  }
  return [...kept, ...added];
}
