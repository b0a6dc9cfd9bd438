import { mark, type SlackContext } from './context.ts';

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
    alt_txt: mark,
  });
  const file = String(file_id);
  cleanUp.later(`the file ${name} (${file})`, () => slack.callOrGone('files.delete', { file }));
  const sent = await fetch(String(upload_url), { method: 'POST', body: new Uint8Array(bytes) });
  if (!sent.ok) throw new Error(`the upload was answered with ${sent.status}`);
  await slack.call('files.completeUploadExternal', { files: [{ id: file, title: name }], ...place });
  return file;
}
