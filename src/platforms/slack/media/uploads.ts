import { Readable } from 'node:stream';
import type { webApi } from '@slack/bolt';
import { request } from 'undici';
import { type Clock, sleep, untilDone, waitAfter, type Waits } from '../../../lib/clock.ts';
import { typeByName } from '../../../lib/file-types.ts';
import { beginningOf } from '../../../lib/text.ts';
import {
  type IncomingFile,
  type OutgoingFile,
  PlatformError,
  undefinedIfRefused,
} from '../../../port/index.ts';
import { isAnswerLost, isFailedStatus, platformError, slackCode } from '../api/errors.ts';
import { isInThread, type SlackApi } from '../api/slack-api.ts';
import { download, type FileKinds, isKindRefused } from './files.ts';

/** Longest alternative text Slack takes. */
const maxAltText = 1_000;
/** Slack shares and processes files in its own time: waits between checks, in milliseconds. */
const lookWaits: Waits = { first: 400, longest: 3_000, factor: 1.5 };
/** Waits between tries to complete an upload that got no response, in milliseconds. */
const completionWaits: Waits = { first: 3_000, longest: 300_000 };

/** A shared file, the time stamp of its message, and the thread of that as far as Slack tells it. */
export interface SharedFile {
  readonly id: string;
  readonly ts: string;
  readonly thread: string | undefined;
}

/** Where a file is shared. */
interface ShareTarget {
  readonly workspace: string;
  readonly channel: string;
  readonly thread: string | undefined;
}

/**
 * Uploads in Slack’s three steps: get a URL, send the bytes, complete. The SDK’s own method sends the alternative
 * text under a name that Slack doesn’t know.
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

  /** Uploads the bytes; nobody sees them yet. Returns the file’s id. */
  async upload(workspace: string, file: OutgoingFile): Promise<string> {
    if (file.size === 0) throw new PlatformError('file-not-allowed', 'empty');
    try {
      const { upload_url, file_id } = await this.#api.call(workspace, 'files.getUploadURLExternal', {
        filename: file.name,
        length: file.size,
        alt_txt: beginningOf(file.description, maxAltText),
      });
      await send(String(upload_url), file);
      return String(file_id);
    } catch (error) {
      throw platformError(error);
    }
  }

  /**
   * Shares an uploaded file, which Slack does in its own time: `seen` tells when. May be called again after a crash
   * or a lost response: Slack shares a file once.
   */
  async share({ workspace, channel, thread }: ShareTarget, fileId: string, title: string, comment?: string) {
    const args = {
      files: [{ id: fileId, title }],
      channel_id: channel,
      ...(thread !== undefined && { thread_ts: thread }),
      ...(comment !== undefined && { initial_comment: comment }),
    };
    await this.#complete(workspace, title, args, () => this.#sharedAs(workspace, fileId, channel));
  }

  /** The first of these files that is shared there within so many milliseconds, and its message. */
  async seen(
    { workspace, channel }: ShareTarget,
    fileIds: readonly string[],
    within: number,
  ): Promise<SharedFile | undefined> {
    return this.#until(within, async () => {
      for (const id of fileIds) {
        const shared = await this.#sharedAs(workspace, id, channel);
        if (shared) return shared;
      }
      return undefined;
    });
  }

  /** Whether a file was shared in a thread, and not in the channel itself because the thread’s first message was deleted. */
  async isInThread(target: ShareTarget, { ts, thread }: Omit<SharedFile, 'id'>): Promise<boolean> {
    return thread !== undefined || isInThread(this.#api, target, ts);
  }

  /** Deletes a file that should not be there, with its message, as far as Slack lets it. */
  async discard({ workspace, channel }: ShareTarget, fileId: string): Promise<void> {
    const { ts } = (await this.#sharedAs(workspace, fileId, channel)) ?? {};
    await undefinedIfRefused(this.remove(workspace, fileId));
    if (ts !== undefined) await undefinedIfRefused(this.#api.ask(workspace, 'chat.delete', { channel, ts }));
  }

  /**
   * Completes an uploaded image for a message’s blocks; returns whether Slack has processed it within so many
   * milliseconds.
   */
  async keep(workspace: string, fileId: string, title: string, within: number): Promise<boolean> {
    const typeRead = async () => {
      const { mimetype } = await this.#infoIfThere(workspace, fileId);
      return mimetype || undefined;
    };
    await this.#complete(workspace, title, { files: [{ id: fileId, title }] }, typeRead);
    return (await this.#until(within, typeRead)) !== undefined;
  }

  /** A file’s details, as commands get them. */
  async describe(workspace: string, fileId: string): Promise<IncomingFile> {
    return fileIn({ ...(await this.#info(workspace, fileId)), id: fileId }, workspace);
  }

  /** A file’s bytes. */
  async read(workspace: string, fileId: string, maxBytes: number): Promise<Uint8Array> {
    const info = await this.#info(workspace, fileId);
    const email = emailIn(info);
    if (email !== undefined) return Buffer.from(email).subarray(0, maxBytes);
    return download(addressOf(info) ?? '', await this.#api.token(workspace), this.#api.apiUrl, maxBytes);
  }

  /** A link to a file for people who may see it. */
  async link(workspace: string, fileId: string): Promise<string> {
    const { permalink = '' } = await this.#info(workspace, fileId);
    return permalink;
  }

  async remove(workspace: string, fileId: string): Promise<void> {
    await this.#api.call(workspace, 'files.delete', { file: fileId }).catch((error: unknown) => {
      if (slackCode(error) !== 'file_not_found' && slackCode(error) !== 'file_deleted')
        throw platformError(error);
    });
  }

  /**
   * Completes an upload. `file_not_found`: it was completed before, or it’s gone; `file_update_failed`: Slack has failed on
   * it. The result will show. While it gets no response it’s tried again, until `result` shows that it was carried out: if
   * it were given up, the file could be shared a second time in another way.
   */
  async #complete(
    workspace: string,
    name: string,
    args: Readonly<Record<string, unknown>>,
    result: () => Promise<unknown>,
  ): Promise<void> {
    let isLost = false;
    const work = async () => {
      // If Slack doesn’t respond to this either, nothing is known.
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
      if (['file_not_found', 'file_update_failed'].includes(slackCode(error) ?? '')) return;
      if (isKindRefused(error)) await this.#kinds.note(workspace, name, 'refused');
      throw platformError(error);
    }
    await this.#kinds.note(workspace, name, 'works');
  }

  /** A file with the message that shows it; undefined where there is none, or the upload isn’t complete yet. */
  async #sharedAs(workspace: string, fileId: string, channel: string): Promise<SharedFile | undefined> {
    const { shares = {} } = await this.#infoIfThere(workspace, fileId);
    const { public: seen, private: hidden } = shares;
    // It may have been shared there under the id before.
    const ids = [this.#api.channelNow(channel), channel];
    const [share] = ids.flatMap((id) => seen?.[id] ?? hidden?.[id] ?? []);
    return share?.ts === undefined ? undefined : { id: fileId, ts: share.ts, thread: share.thread_ts };
  }

  /** A file’s details; nothing where it isn’t complete yet, or gone. */
  async #infoIfThere(workspace: string, fileId: string): Promise<FileInfo> {
    try {
      return await this.#info(workspace, fileId);
    } catch (error) {
      if (error instanceof PlatformError && error.kind === 'gone') return {};
      throw error;
    }
  }

  async #info(workspace: string, fileId: string): Promise<FileInfo> {
    const { file } = await this.#api.ask(workspace, 'files.info', { file: fileId });
    return (file ?? {}) as FileInfo;
  }

  async #until<T>(within: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
    const end = this.#clock.steady() + within;
    for (let looks = 1; ; looks++) {
      const found = await look();
      if (found !== undefined || this.#clock.steady() >= end) return found;
      await sleep(this.#clock, waitAfter(looks, lookWaits));
    }
  }
}

/** A file; in Slack Connect only its id, and `files.info` tells the rest. */
export interface MessageFile {
  readonly id?: string;
  /** Of one without a name `null`. */
  readonly name?: string | null;
  readonly mimetype?: string;
  readonly size?: number;
  /** What kind of file it is to Slack; `tombstone`: it was deleted. */
  readonly mode?: string;
  /** Another app has added it, and Slack doesn't keep it. */
  readonly is_external?: boolean;
  readonly url_private?: string;
  readonly url_private_download?: string;
  /** Of an email. */
  readonly subject?: string;
  readonly from?: readonly { readonly original?: string; readonly address?: string }[];
  readonly plain_text?: string;
}

/** The text of an email, which comes with its file; undefined for other files. */
export function emailIn({ mode, subject, from = [], plain_text: text }: MessageFile): string | undefined {
  if (mode !== 'email' || text === undefined) return undefined;
  const writers = from.map(({ original, address }) => original ?? address ?? '').join(', ');
  return `Subject: ${subject ?? ''}\nFrom: ${writers}\n\n${text}`;
}

/**
 * The URL of the bytes of a file that Slack keeps. Of another it's what its app says (files.remote.info): with the bot's token, that
 * could read or do anything that the bot may.
 */
export function addressOf({
  is_external: isExternal,
  url_private_download,
  url_private,
}: MessageFile): string | undefined {
  return isExternal === true ? undefined : (url_private_download ?? url_private);
}

/** A file as `files.info` tells of it. */
type FileInfo = MessageFile & Pick<NonNullable<webApi.FilesInfoResponse['file']>, 'permalink' | 'shares'>;

async function send(address: string, file: OutgoingFile): Promise<void> {
  const { statusCode, body } = await request(address, {
    method: 'POST',
    headers: { 'content-type': file.contentType, 'content-length': String(file.size) },
    body: Readable.from(file.open()),
  });
  await body.dump();
  if (statusCode === 200) return;
  const mayPass = isFailedStatus(statusCode) || statusCode === 429;
  const kind = mayPass ? 'unreachable' : statusCode === 413 ? 'too-large' : 'refused';
  throw new PlatformError(kind, `upload ${statusCode}`);
}

/**
 * A file of a person’s, as commands get it; its workspace and its id identify it. What it is Slack may tell only once it was
 * scanned (node-slack-sdk#2040).
 */
export function fileIn({ id = '', name, mimetype, size }: MessageFile, workspace: string): IncomingFile {
  const contentType = mimetype || typeByName(name ?? '');
  return { name: name ?? id, contentType, size: size ?? 0, source: `${workspace}/${id}` };
}
