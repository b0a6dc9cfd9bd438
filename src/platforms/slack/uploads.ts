import { Readable } from 'node:stream';
import { request } from 'undici';
import { type Clock, sleep } from '../../clock.ts';
import { type IncomingFile, type OutgoingFile, OutletError } from '../../port/index.ts';
import type { SlackApi } from './api.ts';
import { isAnswerLost, outletError, slackCode } from './errors.ts';

/** Longest alternative text Slack takes. */
const maxAltText = 1_000;
/** Slack shares and reads files in its own time; looked for after so long, then less and less often, in ms. */
const firstLook = 400;
const longestPause = 3_000;
const lookFor = 60_000;

/** Where a file is to appear. */
export interface SharePlace {
  readonly workspace: string;
  readonly channel: string;
  readonly thread: string | undefined;
}

/**
 * Files in three steps, as Slack wants them: an address, the bytes, the completion. The SDK's own way sends the
 * alternative text under a name that Slack does not know.
 */
export class Uploads {
  readonly #api: SlackApi;
  readonly #clock: Clock;

  constructor(api: SlackApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  /** Brings the bytes to Slack; nobody sees them yet. Answers the file's id. */
  async upload(workspace: string, file: OutgoingFile): Promise<string> {
    if (file.size === 0) throw new OutletError('file-not-allowed', 'empty');
    try {
      const { upload_url, file_id } = await this.#api.call(workspace, 'files.getUploadURLExternal', {
        filename: file.name,
        length: file.size,
        alt_txt: file.description.slice(0, maxAltText),
      });
      await send(String(upload_url), file);
      return String(file_id);
    } catch (error) {
      throw outletError(error);
    }
  }

  /**
   * Shows an uploaded file at a place and waits until it is there; answers the time stamp of its message. May be
   * called again after a crash: a file is shown once, however often this is asked for.
   */
  async share(place: SharePlace, fileId: string, title: string, comment?: string): Promise<string> {
    const { workspace, channel, thread } = place;
    const already = await this.#sharedAs(workspace, fileId, channel);
    if (already !== undefined) return already;
    await this.#complete(workspace, fileId, {
      files: [{ id: fileId, title }],
      channel_id: channel,
      ...(thread !== undefined && { thread_ts: thread }),
      ...(comment !== undefined && { initial_comment: comment }),
    });
    return this.#until(() => this.#sharedAs(workspace, fileId, channel));
  }

  /** Keeps an uploaded image for the blocks of a message; resolves when Slack has read it. */
  async keep(workspace: string, fileId: string, title: string): Promise<void> {
    await this.#complete(workspace, fileId, { files: [{ id: fileId, title }] });
    await this.#until(async () => {
      const { mimetype } = await this.#info(workspace, fileId);
      return typeof mimetype === 'string' && mimetype !== '' ? mimetype : undefined;
    });
  }

  /** What Slack knows of a file, as commands get it. */
  async describe(workspace: string, fileId: string): Promise<IncomingFile> {
    const { name, mimetype, size } = await this.#info(workspace, fileId);
    return {
      name: String(name ?? fileId),
      contentType: String(mimetype ?? ''),
      size: Number(size ?? 0),
      source: sourceOf(workspace, fileId),
    };
  }

  /** Where the bytes of a file can be fetched with the bot's token. */
  async address(workspace: string, fileId: string): Promise<string> {
    const { url_private_download, url_private } = await this.#info(workspace, fileId);
    return String(url_private_download ?? url_private ?? '');
  }

  async remove(workspace: string, fileId: string): Promise<void> {
    await this.#api.call(workspace, 'files.delete', { file: fileId }).catch((error: unknown) => {
      if (slackCode(error) !== 'file_not_found' && slackCode(error) !== 'file_deleted')
        throw outletError(error);
    });
  }

  /** Completes an upload. `file_not_found`: it was completed before, and the answer was lost. */
  async #complete(workspace: string, fileId: string, args: Readonly<Record<string, unknown>>): Promise<void> {
    for (;;) {
      try {
        await this.#api.call(workspace, 'files.completeUploadExternal', args);
        return;
      } catch (error) {
        if (isAnswerLost(error)) {
          await sleep(this.#clock, longestPause);
          continue;
        }
        if (slackCode(error) !== 'file_not_found') throw outletError(error);
        // Gone altogether, or completed before? The first throws here.
        await this.#info(workspace, fileId);
        return;
      }
    }
  }

  /** The message that shows a file; undefined where there is none, or the file is not complete yet. */
  async #sharedAs(workspace: string, fileId: string, channel: string): Promise<string | undefined> {
    const { shares } = await this.#info(workspace, fileId).catch((error: unknown): { shares?: Shares } => {
      if (error instanceof OutletError && error.kind === 'gone') return {};
      throw error;
    });
    const { public: seen, private: hidden } = (shares ?? {}) as Shares;
    return (seen?.[channel] ?? hidden?.[channel])?.[0]?.ts;
  }

  async #info(workspace: string, fileId: string): Promise<Readonly<Record<string, unknown>>> {
    try {
      const { file } = await this.#api.call(workspace, 'files.info', { file: fileId });
      return (file ?? {}) as Record<string, unknown>;
    } catch (error) {
      throw outletError(error);
    }
  }

  async #until<T>(look: () => Promise<T | undefined>): Promise<T> {
    const end = this.#clock.now() + lookFor;
    for (let pause = firstLook; ; pause = Math.min(longestPause, pause * 1.5)) {
      const found = await look();
      if (found !== undefined) return found;
      if (this.#clock.now() >= end) throw new OutletError('unreachable', 'the file has not arrived');
      await sleep(this.#clock, pause);
    }
  }
}

type SharesByChannel = Readonly<Record<string, readonly { readonly ts: string }[]>>;

interface Shares {
  readonly public?: SharesByChannel;
  readonly private?: SharesByChannel;
}

async function send(address: string, file: OutgoingFile): Promise<void> {
  const { statusCode, body } = await request(address, {
    method: 'POST',
    headers: { 'content-type': file.contentType, 'content-length': String(file.size) },
    body: Readable.from(file.open()),
  });
  await body.dump();
  if (statusCode !== 200) throw new OutletError('unreachable', `upload ${statusCode}`);
}

/** How a file of Slack's is found again. */
export function sourceOf(workspace: string, fileId: string): string {
  return `${workspace}/${fileId}`;
}
