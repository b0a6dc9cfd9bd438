import { Readable } from 'node:stream';
import { request } from 'undici';
import { untilDone, type Waits } from '../../../lib/backoff.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';
import { type IncomingFile, type OutgoingFile, PlatformError } from '../../../port/index.ts';
import { isAnswerLost, platformError, slackCode } from '../api/errors.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { type FileKinds, isKindRefused } from './file-kinds.ts';

/** Longest alternative text Slack takes. */
const maxAltText = 1_000;
/** Slack shares and reads files in its own time; looked for after so long, then less and less often, in ms. */
const firstLook = 400;
const longestPause = 3_000;
/** Between tries to complete an upload while Slack doesn't say what became of the last, in milliseconds. */
const completionWaits: Waits = { first: 3_000, longest: 300_000 };

/** A file that people can see, and the time stamp of its message. */
export interface SharedFile {
  readonly id: string;
  readonly ts: string;
}

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
  readonly #kinds: FileKinds;
  readonly #clock: Clock;

  constructor(api: SlackApi, kinds: FileKinds, clock: Clock) {
    this.#api = api;
    this.#kinds = kinds;
    this.#clock = clock;
  }

  /** Brings the bytes to Slack; nobody sees them yet. Answers the file's id. */
  async upload(workspace: string, file: OutgoingFile): Promise<string> {
    if (file.size === 0) throw new PlatformError('file-not-allowed', 'empty');
    try {
      const { upload_url, file_id } = await this.#api.call(workspace, 'files.getUploadURLExternal', {
        filename: file.name,
        length: file.size,
        alt_txt: file.description.slice(0, maxAltText),
      });
      await send(String(upload_url), file);
      return String(file_id);
    } catch (error) {
      throw platformError(error);
    }
  }

  /**
   * Has Slack share an uploaded file at a place, which it does in its own time: `seen` tells when. May be called
   * again after a crash or a lost answer: Slack shares a file once.
   */
  async share({ workspace, channel, thread }: SharePlace, fileId: string, title: string, comment?: string) {
    const args = {
      files: [{ id: fileId, title }],
      channel_id: channel,
      ...(thread !== undefined && { thread_ts: thread }),
      ...(comment !== undefined && { initial_comment: comment }),
    };
    await this.#complete(workspace, title, args, () => this.#sharedAs(workspace, fileId, channel));
  }

  /** The first of some files that shows up at a place within so many milliseconds, and its message. */
  async seen(
    { workspace, channel }: SharePlace,
    fileIds: readonly string[],
    within: number,
  ): Promise<SharedFile | undefined> {
    return this.#until(within, async () => {
      for (const id of fileIds) {
        const ts = await this.#sharedAs(workspace, id, channel);
        if (ts !== undefined) return { id, ts };
      }
      return undefined;
    });
  }

  /** Takes a file that was shared once too often away, with its message. */
  async discard({ workspace, channel }: SharePlace, fileId: string): Promise<void> {
    const ts = await this.#sharedAs(workspace, fileId, channel);
    await this.remove(workspace, fileId);
    if (ts === undefined) return;
    await this.#api.call(workspace, 'chat.delete', { channel, ts }).catch((error: unknown) => {
      if (slackCode(error) !== 'message_not_found') throw platformError(error);
    });
  }

  /** Keeps an uploaded image for the blocks of a message; whether Slack has read it within so many milliseconds. */
  async keep(workspace: string, fileId: string, title: string, within: number): Promise<boolean> {
    const typeRead = async () => {
      const { mimetype } = await this.#infoIfThere(workspace, fileId);
      return typeof mimetype === 'string' && mimetype !== '' ? mimetype : undefined;
    };
    await this.#complete(workspace, title, { files: [{ id: fileId, title }] }, typeRead);
    return (await this.#until(within, typeRead)) !== undefined;
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
        throw platformError(error);
    });
  }

  /**
   * Completes an upload. `file_not_found`: it was completed before, or it is gone; what comes of it shows. While the
   * answer is lost it goes on, until `result` shows that it was carried out: given up, what Slack may have shared
   * would be shared once more in another way.
   */
  async #complete(
    workspace: string,
    name: string,
    args: Readonly<Record<string, unknown>>,
    result: () => Promise<string | undefined>,
  ): Promise<void> {
    let isLost = false;
    const work = async () => {
      // Where Slack doesn't tell either, nothing is known.
      if (isLost && (await result().catch(() => undefined)) !== undefined) return;
      await this.#api.call(workspace, 'files.completeUploadExternal', args);
    };
    const failed = (error: unknown) => {
      if (!isAnswerLost(error)) throw error;
      isLost = true;
    };
    try {
      await untilDone(work, { clock: this.#clock, waits: completionWaits, failed });
    } catch (error) {
      if (slackCode(error) === 'file_not_found') return;
      if (isKindRefused(error)) await this.#kinds.note(workspace, name, 'refused');
      throw platformError(error);
    }
    await this.#kinds.note(workspace, name, 'works');
  }

  /** The message that shows a file; undefined where there is none, or the file is not complete yet. */
  async #sharedAs(workspace: string, fileId: string, channel: string): Promise<string | undefined> {
    const { shares } = await this.#infoIfThere(workspace, fileId);
    const { public: seen, private: hidden } = (shares ?? {}) as Shares;
    return (seen?.[channel] ?? hidden?.[channel])?.[0]?.ts;
  }

  /** What Slack knows of a file; nothing where it is not complete yet, or gone. */
  async #infoIfThere(workspace: string, fileId: string): Promise<Readonly<Record<string, unknown>>> {
    try {
      return await this.#info(workspace, fileId);
    } catch (error) {
      if (error instanceof PlatformError && error.kind === 'gone') return {};
      throw error;
    }
  }

  async #info(workspace: string, fileId: string): Promise<Readonly<Record<string, unknown>>> {
    try {
      const { file } = await this.#api.call(workspace, 'files.info', { file: fileId });
      return (file ?? {}) as Record<string, unknown>;
    } catch (error) {
      throw platformError(error);
    }
  }

  async #until<T>(within: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
    const end = this.#clock.steady() + within;
    for (let pause = firstLook; ; pause = Math.min(longestPause, pause * 1.5)) {
      const found = await look();
      if (found !== undefined || this.#clock.steady() >= end) return found;
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
  if (statusCode === 200) return;
  const mayPass = statusCode >= 500 || statusCode === 408 || statusCode === 429;
  const kind = mayPass ? 'unreachable' : statusCode === 413 ? 'too-large' : 'refused';
  throw new PlatformError(kind, `upload ${statusCode}`);
}

/** How a file of Slack's is found again. */
export function sourceOf(workspace: string, fileId: string): string {
  return `${workspace}/${fileId}`;
}
