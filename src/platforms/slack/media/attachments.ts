import type { Clock } from '../../../lib/clock.ts';
import { type Address, type Message, type OutgoingFile, PlatformError } from '../../../port/index.ts';
import type { SlackImage } from '../markup/blocks.ts';
import { escapeMrkdwn, hasLink } from '../markup/safe-text.ts';
import type { PostedMessages } from '../post/posted-messages.ts';
import type { SharedFile, Uploads } from './uploads.ts';

/** Kinds of image that a message can show among its words. */
const embeddable = ['image/png', 'image/jpeg', 'image/gif'];

/** A file that Slack has made nothing of after so long was lost, in milliseconds. */
const lostAfter = 30_000;

/** So long after its post was begun nobody waits for a file any more, in milliseconds. */
const givenUpAfter = 15 * 60_000;

/** Whether a message can show a file among its words. */
export function isEmbeddable({ contentType }: OutgoingFile): boolean {
  return embeddable.includes(contentType);
}

/** Whether words can go as the comment of a file: that has no buttons, and Slack would fetch its links. */
export function isOnlyComment({ text = '', buttons, mentions, link }: Message): boolean {
  return !buttons?.length && !mentions?.length && link === undefined && !hasLink(text) && text.length < 3_000;
}

/** Words as the comment of a file. */
export function commentOf({ text = '' }: Message, header: string | undefined): string | undefined {
  return [header, escapeMrkdwn(text)].filter(Boolean).join('\n') || undefined;
}

/** A file of a message, under the name by which it is on record. */
export interface Attachment {
  readonly slot: string;
  readonly file: OutgoingFile;
}

/** The files of messages that are posted under a key: each comes to Slack once, whatever dies between. */
export class Attachments {
  readonly #postedMessages: PostedMessages;
  readonly #uploads: Uploads;
  readonly #clock: Clock;

  constructor(postedMessages: PostedMessages, uploads: Uploads, clock: Clock) {
    this.#postedMessages = postedMessages;
    this.#uploads = uploads;
    this.#clock = clock;
  }

  /** A message's files, each to be shown in a message of its own. */
  eachInOwnMessage(files: readonly OutgoingFile[]): Attachment[] {
    return files.map((file, index) => ({ slot: isEmbeddable(file) ? `apart ${index}` : `${index}`, file }));
  }

  /** Brings the images that can stand among the words; the other files each need a message of their own. */
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
   * Shows a file in a message of its own, with a comment if there is one; answers where, and the file's id. Slack may
   * take a file and never share it: then another is uploaded, and of two that show up one is taken away.
   */
  async share(address: Address, attachment: Attachment, key: string, comment?: string): Promise<SharedFile> {
    const { workspace, channel } = address;
    const place = { workspace, channel, thread: await this.#postedMessages.threadAt(address) };
    const uploads = this.#uploads;
    const shared = this.#twice(address, attachment, key, async (id, all) => {
      let shared = await uploads.seen(place, all, 0);
      if (!shared) {
        await uploads.share(place, id, attachment.file.name, comment);
        shared = await uploads.seen(place, all, lostAfter);
      }
      if (!shared) return undefined;
      for (const other of all) if (other !== shared.id) await uploads.discard(place, other);
      return shared;
    });
    return shared.catch(async (error: unknown) => {
      if (!(await this.#postedMessages.noteThreadsForbidden(address, error))) throw error;
      return this.share(address, attachment, key, comment);
    });
  }

  /**
   * Uploads a file, or goes on with what was uploaded before a crash; and once more where nothing comes of it. `use`
   * is given the latest, and all there are.
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

  /** Neither came. Later they are taken away, so that what is posted instead stays alone. */
  async #giveUp(address: Address, key: string, ids: readonly string[]): Promise<never> {
    const begun = (await this.#postedMessages.record(address, key))?.at ?? this.#clock.now();
    if (this.#clock.now() - begun < givenUpAfter) {
      throw new PlatformError('unreachable', 'the file has not arrived');
    }
    for (const id of ids) await this.#uploads.remove(address.workspace, id);
    throw new PlatformError('refused', 'the file did not arrive');
  }

  /** Uploads; the file's id is on record before anybody can see the file, so that a crash cannot double it. */
  async #upload(address: Address, { slot, file }: Attachment, key: string): Promise<string> {
    const id = await this.#uploads.upload(address.workspace, file);
    const record = (await this.#postedMessages.record(address, key)) ?? { at: this.#clock.now(), files: {} };
    await this.#postedMessages.keep(address, key, { ...record, files: { ...record.files, [slot]: id } });
    return id;
  }
}
