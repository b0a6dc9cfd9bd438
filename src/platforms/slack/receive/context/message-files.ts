import { type NamedFile, readTexts, type TextsOfFiles } from '../../../../lib/text-files.ts';
import type { SlackApi } from '../../api/slack-api.ts';
import { download } from '../../media/download.ts';
import type { MessageFile } from './slack-message.ts';

/** How long the question waits for Slack's rate limit, in milliseconds. */
const patience = 1_000;

/** Reads the first text files of messages, `most` of them. */
export async function readFiles(
  api: SlackApi,
  workspace: string,
  files: readonly MessageFile[],
  most: number,
): Promise<TextsOfFiles> {
  const described = await Promise.all(files.map((file) => describe(api, workspace, file)));
  return readTexts(described, most, async ({ address }, maxBytes) => {
    if (address === undefined) return undefined;
    const token = await api.token(workspace);
    return download(address, token, api.apiUrl, maxBytes).catch(() => undefined);
  });
}

/** In Slack Connect a message has only a file's id; so have messages on record. */
async function describe(
  api: SlackApi,
  workspace: string,
  file: MessageFile,
): Promise<NamedFile & { readonly address: string | undefined }> {
  const known = file.url_private_download ?? file.url_private;
  const full =
    known === undefined && file.id !== undefined ? await lookUp(api, workspace, file.id) : undefined;
  const { name = 'file', mimetype, size = 0, url_private, url_private_download } = { ...file, ...full };
  return { name, contentType: mimetype ?? null, size, address: url_private_download ?? url_private };
}

async function lookUp(api: SlackApi, workspace: string, id: string): Promise<MessageFile | undefined> {
  try {
    const { file } = await api.call(workspace, 'files.info', { file: id }, { patience });
    return file as MessageFile;
  } catch {
    return undefined;
  }
}
