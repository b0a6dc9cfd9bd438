import type { Clock } from '../../clock.ts';
import { type Address, type OutgoingFile, OutletError } from '../../port/index.ts';
import type { SlackImage } from './blocks.ts';
import { threadOf } from './place.ts';
import type { Posts } from './posts.ts';
import type { Uploads } from './uploads.ts';

/** Kinds of image that a message can show among its words. */
const embeddable = ['image/png', 'image/jpeg', 'image/gif'];

/** Whether a message can show a file among its words. */
export function isEmbeddable({ contentType }: OutgoingFile): boolean {
  return embeddable.includes(contentType);
}

/** A file of a message, under the name by which it is on record. */
export interface Attachment {
  readonly slot: string;
  readonly file: OutgoingFile;
}

/** The files of messages that are posted under a key: each comes to Slack once, whatever dies between. */
export class Attaching {
  readonly #posts: Posts;
  readonly #uploads: Uploads;
  readonly #clock: Clock;

  constructor(posts: Posts, uploads: Uploads, clock: Clock) {
    this.#posts = posts;
    this.#uploads = uploads;
    this.#clock = clock;
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
      const id = await this.#withUpload(address, attachment, key, async (fileId) => {
        await this.#uploads.keep(address.workspace, fileId, file.name);
        return fileId;
      });
      images.push({ id, altText: file.description });
    }
    return { images, others };
  }

  /** Shows a file in a message of its own, with a comment if there is one; answers where, and the file's id. */
  share(
    address: Address,
    attachment: Attachment,
    key: string,
    comment?: string,
  ): Promise<{ readonly ts: string; readonly id: string }> {
    const { workspace, channel } = address;
    const place = { workspace, channel, thread: threadOf(address) };
    return this.#withUpload(address, attachment, key, async (id) => ({
      ts: await this.#uploads.share(place, id, attachment.file.name, comment),
      id,
    }));
  }

  /** Uploads a file, or goes on with what was uploaded before; anew where Slack has dropped that meanwhile. */
  async #withUpload<T>(
    address: Address,
    attachment: Attachment,
    key: string,
    use: (id: string) => Promise<T>,
  ): Promise<T> {
    const known = (await this.#posts.record(address, key))?.files[attachment.slot];
    if (known === undefined) return use(await this.#upload(address, attachment, key));
    try {
      return await use(known);
    } catch (error) {
      if (!(error instanceof OutletError) || error.kind !== 'gone') throw error;
      return use(await this.#upload(address, attachment, key));
    }
  }

  /** Uploads; the file's id is on record before anybody can see the file, so that a crash cannot double it. */
  async #upload(address: Address, { slot, file }: Attachment, key: string): Promise<string> {
    const id = await this.#uploads.upload(address.workspace, file);
    const record = (await this.#posts.record(address, key)) ?? { at: this.#clock.now(), files: {} };
    await this.#posts.keep(address, key, { ...record, files: { ...record.files, [slot]: id } });
    return id;
  }
}
