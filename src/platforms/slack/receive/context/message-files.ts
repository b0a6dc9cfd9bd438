import type { Quote } from '../../../../conversation/index.ts';
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
  files: readonly QuotableFile[],
  most: number,
): Promise<TextsOfFiles<DescribedFile>> {
  const described = await Promise.all(files.map((file) => describe(api, workspace, file)));
  return readTexts(described, most, async ({ address }, maxBytes) => {
    if (address === undefined) return undefined;
    const token = await api.token(workspace);
    return download(address, token, api.apiUrl, maxBytes).catch(() => undefined);
  });
}

/** A file with what a quote of it is forgotten with. */
type QuotableFile = MessageFile & Pick<Quote, 'sources'>;
type DescribedFile = NamedFile & Pick<Quote, 'sources'> & { readonly address: string | undefined };

/** In Slack Connect a message has only a file's id; so have messages on record. */
async function describe(api: SlackApi, workspace: string, file: QuotableFile): Promise<DescribedFile> {
  const known = file.url_private_download ?? file.url_private;
  const full =
    known === undefined && file.id !== undefined ? await lookUp(api, workspace, file.id) : undefined;
  const { name = 'file', mimetype, size = 0, url_private, url_private_download } = { ...file, ...full };
  const address = url_private_download ?? url_private;
  const { sources } = file;
  return { name, contentType: mimetype ?? null, size, address, ...(sources && { sources }) };
}

async function lookUp(api: SlackApi, workspace: string, id: string): Promise<MessageFile | undefined> {
  try {
    const { file } = await api.call(workspace, 'files.info', { file: id }, { patience });
    return file as MessageFile;
  } catch {
    return undefined;
  }
}
