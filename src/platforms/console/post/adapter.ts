import {
  type Address,
  type Begun,
  type FoundAnswer,
  type IncomingFile,
  keyOf,
  type Message,
  type MessageAddress,
  type Outlet,
  OutletError,
} from '../../../port/index.ts';
import { bytesInWords } from '../../../words/index.ts';
import type { Feed } from '../api/feed.ts';
import type { Growing } from '../reply/drafts.ts';
import { type FileRow, type Files, FileTooLargeError } from '../store/files.ts';
import { type Extras, extrasOf, type Messages } from '../store/messages.ts';
import { nameOf, type Place, type Places } from '../store/places.ts';

/** The largest file kept for a message, in bytes: more than the longest video at its largest needs. */
export const maxFileBytes = 512 * 1024 ** 2;
/** The one workspace of the console. */
export const workspace = 'console';
/** The one person of the console. */
export const visitor = 'you';

/** What the outlet works with. */
export interface OutletParts {
  readonly places: Places;
  readonly messages: Messages;
  readonly files: Files;
  readonly growing: Growing;
  readonly feed: Feed;
}

/** Posts to the console's channels and threads, at any time. */
export class ConsoleOutlet implements Outlet {
  readonly platform = 'console';
  readonly hasPublicFiles = false;
  readonly #parts: OutletParts;

  constructor(parts: OutletParts) {
    this.#parts = parts;
  }

  /** The console is one person's page: its first channel will do. */
  async directMessages(): Promise<Address> {
    await this.#parts.places.ensureChannel();
    const [first] = await this.#parts.places.channels();
    if (!first) throw new OutletError('gone');
    return { platform: 'console', workspace, channel: first.id };
  }

  post(address: Address, message: Message, key: string): Promise<MessageAddress> {
    return this.postFor(undefined, address, message, key);
  }

  async begun({ address, eventId }: Begun): Promise<FoundAnswer | undefined> {
    const { messages, files } = this.#parts;
    if (eventId === undefined) return undefined;
    const place = await this.#placeOf(address);
    const key = keyOf(eventId, 0);
    const id = (await messages.findByKey(place, key)) ?? (await messages.findByKey(place, `${key}:0`));
    const row = id === undefined ? undefined : await messages.find(id);
    if (!row) return undefined;
    const message = at(address, Number(row.id));
    return { message, text: row.text, files: (await files.of([Number(row.id)])).length };
  }

  /** Posts what one session alone sees. */
  async postFor(
    session: string | undefined,
    address: Address,
    message: Message,
    key: string,
    unfinished = false,
  ): Promise<MessageAddress> {
    const { messages, files, feed } = this.#parts;
    const place = await this.#placeOf(address);
    const there = await messages.findByKey(place, key);
    if (there !== undefined) return at(address, there);
    const saved = await this.#save(message);
    const { id, isNew } = await messages.post({
      place,
      author: 'bot',
      session,
      key,
      text: message.text ?? '',
      extras: { ...extrasIn(message), ...(unfinished ? { unfinished } : {}) },
      files: saved,
    });
    if (!isNew) await files.delete(saved);
    feed.tell('changes');
    return at(address, id);
  }

  async edit(message: MessageAddress, content: Message): Promise<void> {
    const { messages, growing, feed } = this.#parts;
    const id = Number(message.message);
    const edited = await messages.edit(id, (before) => ({
      text: content.text ?? '',
      extras: { ...extrasIn(content), ...(before.completed ? { completed: before.completed } : {}) },
    }));
    growing.delete(id);
    if (!edited) throw new OutletError('gone');
    feed.tell('changes');
  }

  async complete(message: MessageAddress, content: Message, key: string): Promise<MessageAddress> {
    const { messages, files, feed } = this.#parts;
    const id = Number(message.message);
    const row = await messages.find(id);
    if (!row) throw new OutletError('gone');
    if (extrasOf(row).completed === key) return message;
    const saved = await this.#save(content);
    let taken = false;
    const edited = await messages.edit(id, (before) => {
      if (before.completed === key) return undefined;
      taken = true;
      return { text: content.text ?? '', extras: { ...extrasIn(content), completed: key }, files: saved };
    });
    if (!taken) await files.delete(saved);
    if (!edited) throw new OutletError('gone');
    feed.tell('changes');
    return message;
  }

  async remove(message: MessageAddress): Promise<void> {
    const { messages, files, growing, feed } = this.#parts;
    const id = Number(message.message);
    growing.delete(id);
    await files.delete(await messages.remove(id));
    feed.tell('changes');
  }

  async openThread(message: MessageAddress, name: string): Promise<Address> {
    const { places, feed } = this.#parts;
    const { message: id, ...address } = message;
    if (address.thread !== undefined) return address;
    await this.#placeOf(address);
    const thread = await places.openThread(address.channel, Number(id), nameOf(name) ?? id);
    feed.tell('changes');
    return { ...address, thread };
  }

  channelName({ channel }: Address): Promise<string | undefined> {
    return this.#parts.places.channelName(channel);
  }

  async maxFileBytes(): Promise<number> {
    return maxFileBytes;
  }

  async attachments(message: MessageAddress): Promise<readonly IncomingFile[]> {
    const rows = await this.#parts.files.of([Number(message.message)]);
    return rows.map(incomingFile);
  }

  async readFile(file: IncomingFile, maxBytes: number): Promise<Uint8Array> {
    const row = await this.#parts.files.find(file.source);
    if (!row) throw new OutletError('gone');
    if (Number(row.size) > maxBytes) throw new OutletError('too-large', bytesInWords(maxBytes));
    const content = await this.#parts.files.open(row.id);
    if (!content) throw new OutletError('gone');
    const chunks: Uint8Array[] = [];
    for await (const chunk of content) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async #placeOf(address: Address): Promise<Place> {
    const place = await this.#parts.places.find(address.thread ?? address.channel);
    if (!place) throw new OutletError('gone');
    return place;
  }

  async #save(message: Message): Promise<string[]> {
    const saved: string[] = [];
    try {
      for (const file of message.files ?? []) {
        saved.push((await this.#parts.files.save(file.open(), file, maxFileBytes)).id);
      }
      return saved;
    } catch (error) {
      await this.#parts.files.delete(saved);
      if (!(error instanceof FileTooLargeError)) throw error;
      throw new OutletError('too-large', bytesInWords(error.maxBytes), { cause: error });
    }
  }
}

/** A stored file as commands get it. */
export function incomingFile(row: FileRow): IncomingFile {
  return { name: row.name, contentType: row.content_type, size: Number(row.size), source: row.id };
}

function at(address: Address, message: number): MessageAddress {
  return { ...address, message: String(message) };
}

function extrasIn({ buttons, mentions, link }: Message): Extras {
  return {
    ...(buttons?.length ? { buttons } : {}),
    ...(mentions?.length ? { mention: true } : {}),
    ...(link === undefined ? {} : { link }),
  };
}
