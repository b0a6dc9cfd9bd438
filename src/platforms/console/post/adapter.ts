import { shortened } from '../../../lib/text.ts';
import {
  type Address,
  type AnsweredJob,
  answerKey,
  BasicAdapter,
  type IncomingFile,
  type Message,
  type MessageAddress,
  type OnPosted,
  type PlatformAdapter,
  PlatformError,
  type PostedAnswer,
  type ThreadsAt,
} from '../../../port/index.ts';
import { bytesInWords } from '../../../words/index.ts';
import type { Content } from '../feed/feed.ts';
import { normalizeName, type Place } from '../store/channels.ts';
import { type FileRow, FileTooLargeError } from '../store/files.ts';
import { type Extras, extrasOf } from '../store/messages.ts';

/** The largest file stored for a message, in bytes; more than the largest possible video. */
export const maxFileBytes = 512 * 1024 ** 2;
/** Characters of what was asked, where a message repeats it. */
const maxAskedLength = 150;
/** Id of the console's one workspace. */
export const workspace = 'console';
/** Id of the console's one person. */
export const visitor = 'you';

/** The console's platform adapter: posts to its channels and threads. */
export class ConsoleAdapter extends BasicAdapter implements PlatformAdapter {
  readonly platform = 'console';
  override readonly hasOnePerson = true;
  readonly #dependencies: Content;

  constructor(dependencies: Content) {
    super();
    this.#dependencies = dependencies;
  }

  /**
   * The console has no direct messages: what's about a command is for the session that gave it, and stands there. All else
   * is in the first channel.
   */
  async directMessages(_workspace: string, person: string, asked?: Address): Promise<Address> {
    const { channels } = this.#dependencies;
    const { session } = asked?.platformData ?? {};
    const alone = session === undefined ? {} : { onlyFor: person, platformData: { session } };
    const place = asked && (await channels.find(asked.thread ?? asked.channel));
    if (place) return { platform: 'console', workspace, ...place, ...alone };
    await channels.ensureChannel();
    const [first] = await channels.channels();
    if (!first) throw new PlatformError('gone');
    return { platform: 'console', workspace, channel: first.id, ...alone };
  }

  /** Its one person is its administrator. */
  override async mayModerate(): Promise<boolean> {
    return true;
  }

  override async administers(): Promise<boolean> {
    return true;
  }

  async post(address: Address, message: Message, key: string, onPosted?: OnPosted): Promise<MessageAddress> {
    const session = address.onlyFor === undefined ? undefined : address.platformData?.session;
    const posted = await this.postFor(session, address, message, key);
    await onPosted?.(posted);
    return posted;
  }

  override async findAnswer({ address, eventId }: AnsweredJob): Promise<PostedAnswer | undefined> {
    const { messages } = this.#dependencies;
    if (eventId === undefined) return undefined;
    const place = await this.#placeOf(address);
    const key = answerKey(eventId, 0);
    const id = (await messages.findByKey(place, key)) ?? (await messages.findByKey(place, `${key}:0`));
    const row = id === undefined ? undefined : await messages.find(id);
    return row && { message: messageAddressAt(address, Number(row.id)), text: row.text };
  }

  /** Posts a message that only one session sees; undefined for all of them. */
  async postFor(
    session: string | undefined,
    address: Address,
    content: Message,
    key: string,
    unfinished = false,
  ): Promise<MessageAddress> {
    const message = withWhose(content);
    const { messages, files, feed } = this.#dependencies;
    const place = await this.#placeOf(address);
    const there = await messages.findByKey(place, key);
    if (there !== undefined) return messageAddressAt(address, there);
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
    feed.notify('changes');
    return messageAddressAt(address, id);
  }

  override async relabelButton(message: MessageAddress, buttonId: string, label: string): Promise<void> {
    const { messages, feed } = this.#dependencies;
    const id = Number(message.message);
    const row = await messages.find(id, message.platformData?.session);
    if (!row) throw new PlatformError('gone');
    const edited = await messages.edit(id, (before) => ({
      text: row.text,
      extras: {
        ...before,
        buttons:
          before.buttons?.map((button) => (button.id === buttonId ? { ...button, label } : button)) ?? [],
      },
    }));
    if (!edited) throw new PlatformError('gone');
    feed.notify('changes');
  }

  override replacesFiles(): boolean {
    return true;
  }

  async edit(message: MessageAddress, content: Message): Promise<void> {
    const { messages, drafts, feed } = this.#dependencies;
    const id = Number(message.message);
    const edited = await messages.edit(id, (before) => ({
      text: content.text ?? '',
      extras: {
        ...(before.persona === undefined ? {} : { persona: before.persona }),
        ...extrasIn(content),
        ...(before.completed ? { completed: before.completed } : {}),
      },
    }));
    drafts.delete(id);
    if (!edited) throw new PlatformError('gone');
    feed.notify('changes');
  }

  async complete(message: MessageAddress, content: Message, key: string): Promise<MessageAddress> {
    const { messages, files, feed } = this.#dependencies;
    const id = Number(message.message);
    const row = await messages.find(id);
    if (!row) throw new PlatformError('gone');
    if (extrasOf(row).completed === key) return message;
    const saved = await this.#save(content);
    const before = (await files.of([id])).map((file) => file.id);
    let taken = false;
    const edited = await messages.edit(id, (before) => {
      if (before.completed === key) return undefined;
      taken = true;
      return { text: content.text ?? '', extras: { ...extrasIn(content), completed: key }, files: saved };
    });
    await files.delete(taken ? before : saved);
    if (!edited) throw new PlatformError('gone');
    feed.notify('changes');
    return message;
  }

  async remove(message: MessageAddress): Promise<void> {
    const { messages, files, drafts, feed } = this.#dependencies;
    const id = Number(message.message);
    drafts.delete(id);
    await files.delete(await messages.remove(id));
    feed.notify('changes');
  }

  async openThread(message: MessageAddress, name: string): Promise<Address> {
    const { channels, feed } = this.#dependencies;
    const { message: id, ...address } = message;
    if (address.thread !== undefined) return address;
    await this.#placeOf(address);
    const thread = await channels.openThread(address.channel, Number(id), normalizeName(name) ?? id);
    feed.notify('changes');
    return { ...address, thread, platformData: { ...address.platformData, root: id } };
  }

  override rootOf(
    { thread: _, platformData, ...channel }: Address,
    asked: Address,
  ): MessageAddress | undefined {
    const root = asked.thread === undefined ? platformData?.root : undefined;
    return root === undefined ? undefined : { ...channel, message: root };
  }

  override async threadsAt({ thread }: Address): Promise<ThreadsAt> {
    return { kind: thread === undefined ? 'possible' : 'none' };
  }

  override openOwnThread(message: MessageAddress, name: string): Promise<Address> {
    return this.openThread(message, name);
  }

  override rewritesAnswers(): boolean {
    return true;
  }

  override channelName({ channel }: Address): Promise<string | undefined> {
    return this.#dependencies.channels.channelName(channel);
  }

  async maxFileBytes(): Promise<number> {
    return maxFileBytes;
  }

  async attachments(message: MessageAddress): Promise<readonly IncomingFile[]> {
    const rows = await this.#dependencies.files.of([Number(message.message)]);
    return rows.map(incomingFile);
  }

  async readFile(file: IncomingFile, maxBytes: number): Promise<Uint8Array> {
    const row = await this.#dependencies.files.find(file.source);
    if (!row) throw new PlatformError('gone');
    if (Number(row.size) > maxBytes) throw new PlatformError('too-large', bytesInWords(maxBytes));
    const content = await this.#dependencies.files.open(row.id);
    if (!content) throw new PlatformError('gone');
    const chunks: Uint8Array[] = [];
    for await (const chunk of content) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async #placeOf(address: Address): Promise<Place> {
    const place = await this.#dependencies.channels.find(address.thread ?? address.channel);
    if (!place) throw new PlatformError('gone');
    return place;
  }

  async #save(message: Message): Promise<string[]> {
    const saved: string[] = [];
    try {
      for (const file of message.files ?? []) {
        saved.push((await this.#dependencies.files.save(file.open(), file, maxFileBytes)).id);
      }
      return saved;
    } catch (error) {
      await this.#dependencies.files.delete(saved);
      if (!(error instanceof FileTooLargeError)) throw error;
      throw new PlatformError('too-large', bytesInWords(error.maxBytes), { cause: error });
    }
  }
}

/** A stored file as input of a command. */
export function incomingFile(row: FileRow): IncomingFile {
  return { name: row.name, contentType: row.content_type, size: Number(row.size), source: row.id };
}

/** A message below the line that tells what was asked, if it's to tell: everybody here is one person. */
function withWhose({ whose, ...message }: Message): Message {
  if (!whose) return message;
  const shown = shortened(whose.text.replace(/\s+/gu, ' ').trim(), maxAskedLength);
  const line = ['>', `\`/${whose.command}\``, shown].filter(Boolean).join(' ');
  return { ...message, text: [line, message.text].filter(Boolean).join('\n') };
}

function messageAddressAt(address: Address, message: number): MessageAddress {
  return { ...address, message: String(message) };
}

function extrasIn({ buttons, mentions, link, spoiler, persona }: Message): Extras {
  return {
    ...(persona === undefined ? {} : { persona }),
    ...(buttons?.length ? { buttons } : {}),
    ...(mentions?.length ? { mention: true } : {}),
    ...(link === undefined ? {} : { link }),
    ...(spoiler ? { spoiler } : {}),
  };
}
