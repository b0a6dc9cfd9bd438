import { sleep } from '../../lib/clock.ts';
import { label, type SlackContext } from './context.ts';

/** A share that comes at all comes within so long, in milliseconds. */
export const shareTimeout = 30_000;
const lookEvery = 1_500;

/** A file to be tried. */
export interface Sample {
  readonly ending: string;
  readonly bytes: Uint8Array;
}

/** Uploads a file, shared at a place or not at all, and has it taken away in the end; answers its id. */
export async function upload(
  { slack, cleanUp }: SlackContext,
  { ending, bytes }: Sample,
  place: object = {},
): Promise<string> {
  const name = `troupe-live-check.${ending}`;
  const { upload_url, file_id } = await slack.call('files.getUploadURLExternal', {
    filename: name,
    length: bytes.byteLength,
    alt_txt: label,
  });
  const file = String(file_id);
  cleanUp.later(`the file ${name} (${file})`, () => slack.callOrGone('files.delete', { file }));
  const sent = await fetch(String(upload_url), { method: 'POST', body: new Uint8Array(bytes) });
  if (!sent.ok) throw new Error(`the upload was answered with ${sent.status}`);
  await slack.call('files.completeUploadExternal', { files: [{ id: file, title: name }], ...place });
  return file;
}

/** Waits until Slack has looked at a picture: before that no block can show it. */
export async function waitUntilProcessed(context: SlackContext, id: string): Promise<void> {
  await pollFor(context, async () => {
    const { mimetype } = await fileInfo(context, id);
    return mimetype ? String(mimetype) : undefined;
  });
}

/** What Slack knows of a file. */
export async function fileInfo(
  { slack }: SlackContext,
  file: string,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await slack.call('files.info', { file });
  return typeof answer.file === 'object' && answer.file !== null ? { ...answer.file } : {};
}

/** Looks until something is there, or the time is over. */
export async function pollFor<T>(
  { clock, signal }: SlackContext,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const end = clock.now() + shareTimeout;
  for (;;) {
    const found = await look();
    if (found !== undefined || clock.now() >= end) return found;
    await sleep(clock, lookEvery, signal);
  }
}
