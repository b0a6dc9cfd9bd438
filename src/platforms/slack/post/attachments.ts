import { type Clock, inTime } from '../../../lib/clock.ts';
import {
  type Address,
  type Message,
  type OutgoingFile,
  PlatformError,
  undefinedIfFailed,
  undefinedIfRefused,
} from '../../../port/index.ts';
import type { SlackImage } from '../markup/blocks.ts';
import { hasLink, mrkdwn } from '../markup/mrkdwn.ts';
import type { SharedFile, Uploads } from '../media/uploads.ts';
import type { InThread, PostedMessages } from './posted-messages.ts';

/** Image types that a message can show in a block. */
const embeddable = ['image/png', 'image/jpeg', 'image/gif'];

/** A file that Slack hasn’t processed after this long is lost, in milliseconds. */
const lostAfter = 30_000;

/** Slack shares most files within the first, in milliseconds: then the messages that are there are looked at, too. */
const looks = [8_000, lostAfter - 8_000];
/** How long that may take, in milliseconds: Slack lets some apps read messages once a minute. */
const lookLimit = 5_000;

/** How long after its post was begun a file is given up, in milliseconds. */
const givenUpAfter = 15 * 60_000;

/** Whether a message can show a file in a block. */
export function isEmbeddable({ contentType }: OutgoingFile): boolean {
  return embeddable.includes(contentType);
}

/** Whether a message’s text can be the comment of a file, which has no buttons and whose links Slack would preview. */
export function isOnlyComment({ text = '', buttons, mentions, link }: Message): boolean {
  return !buttons?.length && !mentions?.length && link === undefined && !hasLink(text) && text.length < 3_000;
}

/** A message’s text as the comment of a file. */
export function commentOf({ text = '' }: Message, header: string | undefined): string | undefined {
  return [header, mrkdwn(text)].filter(Boolean).join('\n') || undefined;
}

/** A file of a message, and the name under which it’s on record. */
export interface Attachment {
  readonly slot: string;
  readonly file: OutgoingFile;
}

/** The files of messages that are posted under a key: each is shared once, even if a process dies in between. */
export class Attachments {
  readonly #postedMessages: PostedMessages;
  readonly #uploads: Uploads;
  readonly #clock: Clock;

  constructor(postedMessages: PostedMessages, uploads: Uploads, clock: Clock) {
    this.#postedMessages = postedMessages;
    this.#uploads = uploads;
    this.#clock = clock;
  }

  /** A message’s files, each for a message of its own. */
  eachInOwnMessage(files: readonly OutgoingFile[]): Attachment[] {
    return files.map((file, index) => ({ slot: isEmbeddable(file) ? `apart ${index}` : `${index}`, file }));
  }

  /** Uploads the images that can be in blocks; the other files each need a message of their own. */
  async embed(
    address: Address,
    files: readonly OutgoingFile[],
    key: string,
  ): Promise<{ images: SlackImage[]; others: Attachment[] }> {
    const images: SlackImage[] = [];
    const others: Attachment[] = [];
    for (const [index, file] of files.entries()) {
      const attachment = { slot: `${index}`, file };
      if (!isEmbeddable(file)) {
        others.push(attachment);
        continue;
      }
      const id = await this.#twice(address, attachment, key, async (fileId) => {
        const isRead = await this.#uploads.keep(address.workspace, fileId, file.name, lostAfter);
        return isRead ? fileId : undefined;
      });
      images.push({ id, altText: file.description });
    }
    return { images, others };
  }

  /**
   * Shares a file in a message of its own, with a comment if there is one; returns the message and the file’s id.
   * Slack may accept a file and never share it: then it’s uploaded again, and if both show up one is deleted.
   * @throws {PlatformError} `gone` if the message that began the thread was deleted.
   */
  async share(
    address: Address,
    attachment: Attachment,
    key: string,
    how: InThread & { readonly comment?: string | undefined } = {},
  ): Promise<SharedFile> {
    const { workspace, channel } = address;
    const target = { workspace, channel, thread: await this.#postedMessages.threadFor(address, how) };
    const uploads = this.#uploads;
    const shared = this.#twice(address, attachment, key, async (id, all) => {
      let shared = await uploads.seen(target, all, 0);
      if (!shared) {
        await uploads.share(target, id, attachment.file.name, how.comment);
        for (const within of looks)
          shared ??= (await uploads.seen(target, all, within)) ?? (await this.#shown(address, key, all));
      }
      if (!shared) return undefined;
      for (const other of all) if (other !== shared.id) await uploads.discard(target, other);
      if (target.thread === undefined || (await uploads.isInThread(target, shared))) return shared;
      await uploads.discard(target, shared.id);
      throw new PlatformError('gone', 'thread');
    });
    return shared.catch(async (error: unknown) => {
      if (!(await this.#postedMessages.noteThreadsForbidden(address, error))) throw error;
      return this.share(address, attachment, key, how);
    });
  }

  /** The first of these files that a message has, though `files.info` doesn't tell; undefined where messages can't be read now. */
  async #shown(address: Address, key: string, ids: readonly string[]): Promise<SharedFile | undefined> {
    const begun = (await this.#postedMessages.record(address, key))?.at ?? this.#clock.now();
    const found = undefinedIfFailed(this.#postedMessages.fileShown(address, ids, begun));
    return inTime(this.#clock, lookLimit, found, undefined);
  }

  /**
   * Uploads a file, or continues with an upload from before a crash; and uploads it once more where nothing comes of
   * it. `use` gets the latest upload, and all of them.
   */
  async #twice<T>(
    address: Address,
    { slot, file }: Attachment,
    key: string,
    use: (id: string, all: readonly string[]) => Promise<T | undefined>,
  ): Promise<T> {
    const known = (await this.#postedMessages.record(address, key))?.files ?? {};
    const slots = [slot, `${slot} again`];
    const ids = slots.map((name) => known[name]).filter((id) => id !== undefined);
    for (const name of slots.slice(Math.max(0, ids.length - 1))) {
      const id = known[name] ?? (await this.#upload(address, { slot: name, file }, key));
      if (!ids.includes(id)) ids.push(id);
      const result = await use(id, ids);
      if (result !== undefined) return result;
    }
    return this.#giveUp(address, key, ids);
  }

  /** Neither was shared. Later they are deleted, so that what is posted instead stays alone. */
  async #giveUp(address: Address, key: string, ids: readonly string[]): Promise<never> {
    const begun = (await this.#postedMessages.record(address, key))?.at ?? this.#clock.now();
    if (this.#clock.now() - begun < givenUpAfter) {
      throw new PlatformError('unreachable', 'the file has not arrived');
    }
    for (const id of ids) await undefinedIfRefused(this.#uploads.remove(address.workspace, id));
    throw new PlatformError('refused', 'the file did not arrive');
  }

  /** Uploads a file. Its id is on record before anybody can see the file, so that a crash can’t double it. */
  async #upload(address: Address, { slot, file }: Attachment, key: string): Promise<string> {
    const id = await this.#uploads.upload(address.workspace, file);
    const { files } = (await this.#postedMessages.record(address, key)) ?? {};
    await this.#postedMessages.note(address, key, { files: { ...files, [slot]: id } });
    return id;
  }
}
