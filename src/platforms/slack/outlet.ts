import type { Clock } from '../../clock.ts';
import {
  type Address,
  type IncomingFile,
  type Message,
  type MessageAddress,
  type OutgoingFile,
  type Outlet,
  OutletError,
  type OutletErrorKind,
} from '../../port/index.ts';
import { splitMarkdown } from '../../reply/index.ts';
import { slackWords } from '../../words/slack.ts';
import type { CallOptions, SlackApi } from './api.ts';
import {
  maxMessageLength,
  type Rendered,
  type RenderOptions,
  render,
  type SlackImage,
  wireLength,
} from './blocks.ts';
import { download } from './download.ts';
import { outletError, slackCode } from './errors.ts';
import type { Frame, Frames } from './frames.ts';
import type { People } from './people.ts';
import { isDirect, messageAt, placeOf, threadOf } from './place.ts';
import { markOf, metadataType, type PostRecord, type Posts } from './posts.ts';
import type { Responder } from './responder.ts';
import { escapeMrkdwn, hasLink } from './text.ts';
import type { Uploads } from './uploads.ts';

/** Slack's own limit of a file; a workspace may have a lower one, which shows when a file is sent. */
const maxFileBytes = 1024 ** 3;
/** Why nothing can be posted at a place at all. */
const shutOutKinds: readonly OutletErrorKind[] = ['not-a-member', 'gone', 'no-permission'];
/** Kinds of image that a message can show among its words. */
const embeddable = ['image/png', 'image/jpeg', 'image/gif'];

interface OutletParts {
  readonly api: SlackApi;
  readonly posts: Posts;
  readonly uploads: Uploads;
  readonly frames: Frames;
  readonly responder: Responder;
  readonly people: People;
  readonly clock: Clock;
}

/** Posts in Slack's channels, threads and direct messages, at any time. */
export class SlackOutlet implements Outlet {
  readonly platform = 'slack';
  readonly hasPublicFiles = false;
  readonly #parts: OutletParts;
  readonly #underWay = new Map<string, Promise<MessageAddress>>();

  constructor(parts: OutletParts) {
    this.#parts = parts;
  }

  post(address: Address, message: Message, key: string): Promise<MessageAddress> {
    return this.postWith(address, message, key, {});
  }

  /** Posts with a line above the message. What has to reach somebody reaches them directly where it cannot. */
  async postWith(
    address: Address,
    message: Message,
    key: string,
    options: Pick<RenderOptions, 'header'>,
  ): Promise<MessageAddress> {
    try {
      return await this.#once(address, key, (before) =>
        this.#postAll(address, message, key, options, before),
      );
    } catch (error) {
      const [person] = message.mentions ?? [];
      const shutOut = error instanceof OutletError && shutOutKinds.includes(error.kind);
      if (!shutOut || person === undefined || isDirect(address.channel)) throw error;
      const direct = await this.directMessages(address.workspace, person);
      const { locale } = await this.#parts.people.find(address.workspace, person);
      const text = [slackWords(locale).inAnotherPlace, message.text].filter(Boolean).join('\n\n');
      return this.post(direct, { ...message, mentions: [], text }, key);
    }
  }

  /** Posts a message of a live answer. */
  postLive(
    address: Address,
    message: Message,
    frame: Frame,
    key: string,
    options: CallOptions,
  ): Promise<MessageAddress> {
    return this.#once(address, key, async (before) => {
      const ts = await this.#parts.posts.post(address, key, { ...render(message, frame) }, before, options);
      await this.#parts.frames.keep(messageAt(address, ts), frame);
      return ts;
    });
  }

  async edit(message: MessageAddress, content: Message): Promise<void> {
    const { api, responder } = this.#parts;
    const rendered = render(content);
    if (message.ticket?.responseUrl !== undefined) {
      await responder.replace(message.ticket.responseUrl, rendered);
      return;
    }
    await this.#update(api, message, render(content, await this.#parts.frames.of(message)));
  }

  /** Images join the message; Slack can add no other file to one, so those come beside it. */
  complete(message: MessageAddress, content: Message, key: string): Promise<MessageAddress> {
    return this.#once(message, key, async () => {
      const { files = [] } = content;
      const { images, others } = await this.#imagesFor(message, files, key);
      for (const file of others) await this.#shareFile(message, file, key, undefined);
      const metadata = {
        event_type: metadataType,
        event_payload: { key: markOf(message, key), files: images.map(({ id }) => id) },
      };
      const { header } = await this.#parts.frames.of(message);
      const frame = { ...(header !== undefined && { header }), images };
      await this.#update(this.#parts.api, message, { ...render(content, frame), metadata });
      await this.#parts.frames.keep(message, frame);
      return message.message;
    });
  }

  /** Answers a slash command or a press whose process died before it said anything; to its requester alone. */
  async settle({ responseUrl }: Readonly<Record<string, string>>, message: Message): Promise<void> {
    if (responseUrl === undefined) throw new OutletError('expired', 'response_url');
    await this.#parts.responder.say(responseUrl, render(message), 'requester');
  }

  /** Says something that one person alone sees. */
  async whisper(address: Address, user: string, content: Rendered): Promise<void> {
    const { workspace, channel } = address;
    const thread = threadOf(address);
    const args = { channel, user, ...(thread !== undefined && { thread_ts: thread }), ...content };
    try {
      await this.#parts.api.call(workspace, 'chat.postEphemeral', args);
    } catch (error) {
      throw outletError(error);
    }
  }

  /** The direct messages with somebody. */
  async directMessages(workspace: string, user: string): Promise<Address> {
    try {
      const answer = await this.#parts.api.call(workspace, 'conversations.open', { users: user });
      return placeOf(workspace, (answer.channel as { readonly id: string }).id);
    } catch (error) {
      throw outletError(error);
    }
  }

  async remove(message: MessageAddress): Promise<void> {
    const { api, uploads } = this.#parts;
    const { workspace, channel, message: ts } = message;
    const files = await this.#fileIds(message);
    await api.call(workspace, 'chat.delete', { channel, ts }).catch((error: unknown) => {
      if (slackCode(error) !== 'message_not_found') throw outletError(error);
    });
    for (const file of files) await uploads.remove(workspace, file);
  }

  async openThread(message: MessageAddress, _name: string): Promise<Address> {
    const { message: ts, ticket: _, ...address } = message;
    return { ...address, thread: threadOf(message) ?? ts };
  }

  async maxFileBytes(_address: Address): Promise<number> {
    return maxFileBytes;
  }

  async attachments(message: MessageAddress): Promise<readonly IncomingFile[]> {
    const ids = await this.#fileIds(message);
    return Promise.all(ids.map((id) => this.#parts.uploads.describe(message.workspace, id)));
  }

  async readFile(file: IncomingFile, maxBytes: number): Promise<Uint8Array> {
    const { api, uploads } = this.#parts;
    const [workspace = '', id = ''] = file.source.split('/');
    const address = await uploads.address(workspace, id);
    return download(address, await api.token(workspace), api.apiUrl, maxBytes);
  }

  /** Files first, so that the words with their buttons stand below them. */
  async #postAll(
    address: Address,
    message: Message,
    key: string,
    options: Pick<RenderOptions, 'header'>,
    before: PostRecord | undefined,
  ): Promise<string> {
    const { files = [] } = message;
    const { images, others } = await this.#imagesFor(address, files, key);
    const [only] = others;
    if (others.length === 1 && only && images.length === 0 && isOnlyComment(message)) {
      return this.#shareFile(address, only, key, commentOf(message, options.header));
    }
    const shared: string[] = [];
    for (const file of others) {
      await this.#shareFile(address, file, key, undefined);
      shared.push((await this.#parts.posts.record(address, key))?.files[file.name] ?? '');
    }
    const ids = [...images.map(({ id }) => id), ...shared.filter(Boolean)];
    return this.#postWords(address, message, key, { ...options, images }, ids, before);
  }

  /** The words of a message; more than one message takes becomes several, the buttons under the last. */
  async #postWords(
    address: Address,
    message: Message,
    key: string,
    options: RenderOptions,
    files: readonly string[],
    before: PostRecord | undefined,
  ): Promise<string> {
    const { posts } = this.#parts;
    const pieces = splitMarkdown(message.text ?? '', { maxLength: maxMessageLength, length: wireLength });
    const last = pieces.pop() ?? '';
    for (const [index, text] of pieces.entries()) {
      const above = index === 0 && options.header !== undefined ? { header: options.header } : {};
      await posts.post(address, `${key}:${index}`, { ...render({ text }, above) }, before);
    }
    const below = pieces.length === 0 ? options : { images: options.images ?? [] };
    const rendered = render({ ...message, text: last }, below);
    const metadata = { event_type: metadataType, event_payload: { key: markOf(address, key), files } };
    const ts = await posts.post(address, key, { ...rendered, metadata }, before);
    await this.#parts.frames.keep(messageAt(address, ts), below);
    return ts;
  }

  /** Runs a post at most once by key; a second call for a key that is under way gets the first one's answer. */
  #once(
    address: Address,
    key: string,
    work: (before: PostRecord | undefined) => Promise<string>,
  ): Promise<MessageAddress> {
    const mark = markOf(address, key);
    const running = this.#underWay.get(mark);
    if (running) return running;
    const done = this.#workOnce(address, key, work).finally(() => this.#underWay.delete(mark));
    this.#underWay.set(mark, done);
    return done;
  }

  async #workOnce(
    address: Address,
    key: string,
    work: (before: PostRecord | undefined) => Promise<string>,
  ): Promise<MessageAddress> {
    const { posts, clock } = this.#parts;
    const before = await posts.record(address, key);
    if (before?.ts !== undefined) return messageAt(address, before.ts);
    if (!before) await posts.keep(address, key, { at: clock.now(), files: {} });
    const ts = await work(before);
    const record = (await posts.record(address, key)) ?? { at: clock.now(), files: {} };
    await posts.keep(address, key, { ...record, ts });
    return messageAt(address, ts);
  }

  /** Uploads the images that can stand among the words; what cannot is left for a message of its own. */
  async #imagesFor(
    address: Address,
    files: readonly OutgoingFile[],
    key: string,
  ): Promise<{ images: SlackImage[]; others: OutgoingFile[] }> {
    const images: SlackImage[] = [];
    const others: OutgoingFile[] = [];
    for (const file of files) {
      if (!embeddable.includes(file.contentType)) {
        others.push(file);
        continue;
      }
      const { uploads } = this.#parts;
      const id = await this.#withUpload(address, file, key, async (fileId) => {
        await uploads.keep(address.workspace, fileId, file.name);
        return fileId;
      });
      images.push({ id, altText: file.description });
    }
    return { images, others };
  }

  async #shareFile(
    address: Address,
    file: OutgoingFile,
    key: string,
    comment: string | undefined,
  ): Promise<string> {
    const { workspace, channel } = address;
    const place = { workspace, channel, thread: threadOf(address) };
    return this.#withUpload(address, file, key, (id) =>
      this.#parts.uploads.share(place, id, file.name, comment),
    );
  }

  /** Uploads a file, or goes on with what was uploaded before; anew where Slack has dropped that meanwhile. */
  async #withUpload<T>(
    address: Address,
    file: OutgoingFile,
    key: string,
    use: (id: string) => Promise<T>,
  ): Promise<T> {
    const known = (await this.#parts.posts.record(address, key))?.files[file.name];
    if (known === undefined) return use(await this.#uploaded(address, file, key));
    try {
      return await use(known);
    } catch (error) {
      if (!(error instanceof OutletError) || error.kind !== 'gone') throw error;
      return use(await this.#uploaded(address, file, key));
    }
  }

  /** Uploads; the file's id is on record before anybody can see the file, so that a crash cannot double it. */
  async #uploaded(address: Address, file: OutgoingFile, key: string): Promise<string> {
    const { posts, uploads, clock } = this.#parts;
    const id = await uploads.upload(address.workspace, file);
    const record = (await posts.record(address, key)) ?? { at: clock.now(), files: {} };
    await posts.keep(address, key, { ...record, files: { ...record.files, [file.name]: id } });
    return id;
  }

  async #update(
    api: SlackApi,
    { workspace, channel, message }: MessageAddress,
    content: object,
  ): Promise<void> {
    const update = () => api.call(workspace, 'chat.update', { channel, ts: message, ...content });
    try {
      await update().catch(async (error: unknown) => {
        // A stream that the process which wrote it did not live to stop.
        if (slackCode(error) !== 'streaming_state_conflict') throw error;
        await api.call(workspace, 'chat.stopStream', { channel, ts: message });
        await update();
      });
    } catch (error) {
      throw outletError(error);
    }
  }

  async #fileIds(message: MessageAddress): Promise<string[]> {
    const found = await this.#parts.posts.at(message, message.message);
    if (!found) throw new OutletError('gone');
    const payload = found.metadata?.event_payload as { files?: readonly string[] } | undefined;
    return [...new Set([...(payload?.files ?? []), ...(found.files ?? []).map(({ id }) => id)])];
  }
}

/** Whether words can go as the comment of a file: that has no buttons, and Slack would fetch its links. */
function isOnlyComment({ text = '', buttons, mentions, link }: Message): boolean {
  return !buttons?.length && !mentions?.length && link === undefined && !hasLink(text) && text.length < 3_000;
}

function commentOf({ text = '' }: Message, header: string | undefined): string | undefined {
  return [header, escapeMrkdwn(text)].filter(Boolean).join('\n') || undefined;
}
