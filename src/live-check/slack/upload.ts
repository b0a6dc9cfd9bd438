import { sleep } from '../../lib/clock.ts';
import { label, type SlackContext } from './context.ts';

/** Milliseconds to wait until a file is shared. */
export const shareTimeout = 30_000;
const pollInterval = 1_500;

/** A sample file. */
export interface Sample {
  readonly extension: string;
  readonly bytes: Uint8Array;
}

/** Uploads a file, shared in `place` or not at all, which is deleted at the end; returns its id. */
export async function upload(
  { slack, cleanUp }: SlackContext,
  { extension, bytes }: Sample,
  place: object = {},
): Promise<string> {
  const name = `troupe-live-check.${extension}`;
  const { upload_url, file_id } = await slack.call('files.getUploadURLExternal', {
    filename: name,
    length: bytes.byteLength,
    alt_txt: label,
  });
  const file = String(file_id);
  cleanUp.add(`the file ${name} (${file})`, () => slack.callOrGone('files.delete', { file }));
  const sent = await fetch(String(upload_url), { method: 'POST', body: new Uint8Array(bytes) });
  if (!sent.ok) throw new Error(`the upload failed with ${sent.status}`);
  await slack.call('files.completeUploadExternal', { files: [{ id: file, title: name }], ...place });
  return file;
}

/** Waits until Slack has processed a picture: before that no block can show it. */
export async function waitUntilProcessed(context: SlackContext, id: string): Promise<void> {
  await pollFor(context, async () => {
    const { mimetype } = await fileInfo(context, id);
    return mimetype ? String(mimetype) : undefined;
  });
}

/** Slack's data about a file. */
export async function fileInfo(
  { slack }: SlackContext,
  file: string,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await slack.call('files.info', { file });
  return typeof answer.file === 'object' && answer.file !== null ? { ...answer.file } : {};
}

/** Calls `look` until it returns something; undefined after {@link shareTimeout}. */
export async function pollFor<T>(
  { clock, signal }: SlackContext,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const end = clock.now() + shareTimeout;
  for (;;) {
    const found = await look();
    if (found !== undefined || clock.now() >= end) return found;
    await sleep(clock, pollInterval, signal);
  }
}
