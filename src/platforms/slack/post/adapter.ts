import type { Clock } from '../../../lib/clock.ts';
import {
  type Address,
  type AnsweredJob,
  answerKey,
  type Capabilities,
  type IncomingFile,
  type Message,
  type MessageAddress,
  type OutgoingFile,
  type PlatformAdapter,
  PlatformError,
  type PlatformErrorKind,
  type PostedAnswer,
} from '../../../port/index.ts';
import { splitMarkdown } from '../../../reply/index.ts';
import { words } from '../../../words/index.ts';
import {
  isRefused,
  isUneditable,
  mayBeContent,
  platformError,
  slackCode,
  unpostableKinds,
} from '../api/errors.ts';
import { slackFeatures } from '../api/features.ts';
import type { CallOptions, SlackApi } from '../api/slack-api.ts';
import {
  type MessageArguments,
  maxMessageLength,
  type RenderOptions,
  type SlackImage,
  wireLength,
} from '../markup/blocks.ts';
import type { Chrome, MessageChrome } from '../markup/message-chrome.ts';
import { type MessageFormat, type MessageFormats, renderIn } from '../markup/message-formats.ts';
import {
  type Attachment,
  Attachments,
  commentOf,
  isEmbeddable,
  isOnlyComment,
} from '../media/attachments.ts';
import { download } from '../media/download.ts';
import type { Uploads } from '../media/uploads.ts';
import type { People } from '../people/people.ts';
import type { ResponseUrls } from '../reply/response-urls.ts';
import { endStream } from '../reply/stream/native-stream.ts';
import { isStream, messageAt, slackAddress, streamAt, threadOf } from './address.ts';
import type { Channels } from './channels.ts';
import type { DirectMessages } from './direct-messages.ts';
import type { Edits } from './edits.ts';
import { PostOnce } from './post-once.ts';
import {
  type FoundMessage,
  liveKeyOf,
  metadataOf,
  type PostedMessages,
  type PostRecord,
} from './posted-messages.ts';
import { readBack } from './read-back.ts';

/** Slack's own limit of a file; a workspace may have a lower one, which shows when a file is sent. */
const maxFileBytes = 1024 ** 3;

interface AdapterDependencies {
  readonly api: SlackApi;
  readonly channels: Channels;
  readonly postedMessages: PostedMessages;
  readonly uploads: Uploads;
  readonly edits: Edits;
  readonly messageChrome: MessageChrome;
  readonly responseUrls: ResponseUrls;
  readonly directMessages: DirectMessages;
  readonly people: People;
  readonly formats: MessageFormats;
  readonly capabilities: Capabilities;
  readonly clock: Clock;
  /** Resolves when what a former process was writing in a channel has been ended. */
  readonly formerSettled: (address: Address) => Promise<void>;
  /** The stream in which an answer began, by the key of its first message, where nobody heard of it. */
  readonly lostStream: (address: Address, key: string) => Promise<FoundMessage | undefined>;
}

/** Posts in Slack's channels, threads and direct messages, at any time. */
export class SlackAdapter implements PlatformAdapter {
  readonly platform = 'slack';
  readonly hasPublicFiles = false;
  readonly #dependencies: AdapterDependencies;
  readonly #once: PostOnce;
  readonly #attachments: Attachments;

  constructor(dependencies: AdapterDependencies) {
    const { postedMessages, uploads, clock } = dependencies;
    this.#dependencies = dependencies;
    this.#once = new PostOnce(postedMessages, clock);
    this.#attachments = new Attachments(postedMessages, uploads, clock);
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
    const [person] = message.mentions ?? [];
    const away = async (to: string, why?: PlatformErrorKind) => {
      const direct = await this.directMessages(address.workspace, to);
      if (direct.channel === address.channel) return undefined;
      const { locale } = await this.#dependencies.people.find(address.workspace, to);
      const note = words(locale).sentDirectly(why);
      const text = message.directly ?? [note, message.text].filter(Boolean).join('\n\n');
      return this.post(direct, { ...message, mentions: [], text }, key);
    };
    // The place may take it again by now.
    const isAway = person !== undefined && (await this.hasBegunDirectly(address.workspace, person, key));
    const posted = isAway ? await away(person) : undefined;
    if (posted) return posted;
    try {
      return await this.#once.run(address, key, (before) =>
        this.#postAll(address, message, key, options, before),
      );
    } catch (error) {
      const cannotPost = error instanceof PlatformError && unpostableKinds.includes(error.kind);
      const instead = cannotPost && person !== undefined ? await away(person, error.kind) : undefined;
      if (!instead) throw error;
      return instead;
    }
  }

  async findAnswer({ address, eventId }: AnsweredJob): Promise<PostedAnswer | undefined> {
    const { postedMessages, messageChrome, formerSettled } = this.#dependencies;
    if (eventId === undefined) return undefined;
    // Else the end of what was left over could undo what is said in its place.
    await formerSettled(address);
    for (const key of [answerKey(eventId, 0), liveKeyOf(eventId, 0)]) {
      const found = await postedMessages.foundUnder(address, key);
      if (!found) continue;
      const message = messageAt(address, found.ts);
      const { chrome, ...shown } = readBack(found);
      await messageChrome.keep(message, chrome);
      return { message, ...shown };
    }
    const stream = await this.#dependencies.lostStream(address, liveKeyOf(eventId, 0));
    if (!stream) return undefined;
    const { chrome: _, ...shown } = readBack(stream);
    return { message: streamAt(address, stream.ts), ...shown };
  }

  /** Posts a message of a live answer; where it was posted before with other words, it shows these afterwards. */
  async postLive(
    address: Address,
    message: Message,
    chrome: Chrome,
    key: string,
    options: CallOptions,
  ): Promise<MessageAddress> {
    let isFirst = false;
    const posted = await this.#once.run(address, key, async (before) => {
      isFirst = before === undefined;
      let first: CallOptions = options;
      const ts = await this.#inBestFormat(address, async (format) => {
        const content = { ...renderIn(format, message, chrome) };
        const sent = this.#dependencies.postedMessages.post(address, key, content, before, first);
        first = {};
        return sent;
      });
      await this.#dependencies.messageChrome.keep(messageAt(address, ts), chrome);
      return ts;
    });
    if (!isFirst) await this.#show(posted, message, chrome);
    return posted;
  }

  async messageLimits() {
    return { maxLength: maxMessageLength, length: wireLength };
  }

  async edit(message: MessageAddress, content: Message): Promise<void> {
    const { messageChrome, responseUrls } = this.#dependencies;
    if (message.platformData?.responseUrl !== undefined) {
      await responseUrls.replace(message.platformData.responseUrl, content);
      return;
    }
    if (isStream(message)) {
      // Its process may not have lived to end it.
      const fate = await endStream(this.#dependencies.api, message, message.message);
      // Only the end of its whole text brings a mark: that came through, though its answer was lost.
      const shown =
        fate === 'ended' && (await this.#dependencies.postedMessages.at(message, message.message));
      if (shown && shown.metadata?.event_payload?.key !== undefined) return;
      throw new PlatformError(fate === 'gone' ? 'gone' : 'refused', 'stream');
    }
    try {
      await this.#show(message, content, await messageChrome.of(message));
    } catch (error) {
      // Unlike what is gone, it stands there as it is.
      throw isUneditable(error) ? new PlatformError('refused', 'fixed', { cause: error }) : error;
    }
  }

  async #show(message: MessageAddress, content: Message, chrome: Chrome): Promise<void> {
    const edit = (format: MessageFormat) =>
      this.#dependencies.edits.edit(message, { ...renderIn(format, content, chrome) });
    await this.#inBestFormat(message, edit, Boolean(chrome.images?.length));
  }

  /**
   * Images join the message; Slack can add no other file to one, so those come beside it. Where it can be changed no
   * more all comes in a message below it.
   */
  complete(message: MessageAddress, content: Message, key: string): Promise<MessageAddress> {
    return this.#once.run(message, key, async (before) => {
      const { files = [] } = content;
      // An image needs no post, so that its message may take it where the channel takes no other.
      const kinds: readonly PlatformErrorKind[] = files.every(isEmbeddable) ? ['gone'] : unpostableKinds;
      if (files.length > 0) await this.#dependencies.channels.expectOpen(message, before, kinds);
      return this.#withFiles(message, files, key, async (images, ids) => {
        const { edits, messageChrome } = this.#dependencies;
        const { header } = await messageChrome.of(message);
        const chrome = { ...(header !== undefined && { header }), images, files: ids };
        const metadata = metadataOf(message, key, ids);
        const edit = (format: MessageFormat) =>
          edits.edit(message, { ...renderIn(format, content, chrome), metadata });
        try {
          await this.#inBestFormat(message, edit, images.length > 0);
        } catch (error) {
          if (!isUneditable(error)) throw error;
          const below: MessageAddress = {
            ...message,
            platformData: { ...message.platformData, under: threadOf(message) ?? message.message },
          };
          return this.#postWords(below, content, `${key}:below`, { images }, ids, before);
        }
        await messageChrome.keep(message, chrome);
        return message.message;
      });
    });
  }

  /** Answers a slash command or a press whose process died before it said anything; to its requester alone. */
  async answerInterrupted(
    { responseUrl }: Readonly<Record<string, string>>,
    message: Message,
  ): Promise<void> {
    if (responseUrl === undefined) throw new PlatformError('expired', 'response_url');
    if (message.files?.length) throw new PlatformError('refused', 'no file goes over a response_url');
    await this.#dependencies.responseUrls.say(responseUrl, message, 'requester');
  }

  /** Says something that one person alone sees. */
  async whisper(address: Address, user: string, content: MessageArguments): Promise<void> {
    const { workspace, channel } = address;
    const thread = await this.#dependencies.postedMessages.threadAt(address);
    const args = { channel, user, ...(thread !== undefined && { thread_ts: thread }), ...content };
    try {
      await this.#dependencies.api.call(workspace, 'chat.postEphemeral', args);
    } catch (error) {
      throw platformError(error);
    }
  }

  /** The direct messages with somebody. */
  async directMessages(workspace: string, user: string): Promise<Address> {
    return slackAddress(workspace, await this.#dependencies.directMessages.open(workspace, user));
  }

  async hasBegunDirectly(workspace: string, user: string, key: string): Promise<boolean> {
    const channel = await this.#dependencies.directMessages.known(workspace, user);
    if (channel === undefined) return false;
    return (
      (await this.#dependencies.postedMessages.record(slackAddress(workspace, channel), key)) !== undefined
    );
  }

  channelName(address: Address): Promise<string | undefined> {
    return this.#dependencies.channels.nameOf(address);
  }

  async remove(message: MessageAddress): Promise<void> {
    const { api, uploads } = this.#dependencies;
    const { workspace, channel, message: ts } = message;
    const files = await this.#fileIds(message);
    await api.call(workspace, 'chat.delete', { channel, ts }).catch((error: unknown) => {
      if (slackCode(error) !== 'message_not_found') throw platformError(error);
    });
    for (const file of files) await uploads.remove(workspace, file);
  }

  async openThread(message: MessageAddress, _name: string): Promise<Address> {
    const { message: ts, platformData: _, ...address } = message;
    return { ...address, thread: threadOf(message) ?? ts };
  }

  async maxFileBytes(_address: Address): Promise<number> {
    return maxFileBytes;
  }

  async attachments(message: MessageAddress): Promise<readonly IncomingFile[]> {
    const ids = await this.#fileIds(message);
    return Promise.all(ids.map((id) => this.#dependencies.uploads.describe(message.workspace, id)));
  }

  async readFile(file: IncomingFile, maxBytes: number): Promise<Uint8Array> {
    const { api, uploads } = this.#dependencies;
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
    const [only] = files;
    if (only) await this.#dependencies.channels.expectOpen(address, before);
    if (files.length === 1 && only && !isEmbeddable(only) && isOnlyComment(message)) {
      const comment = commentOf(message, options.header);
      const { ts, id } = await this.#attachments.share(address, { slot: '0', file: only }, key, comment);
      await this.#dependencies.messageChrome.keep(messageAt(address, ts), { files: [id] });
      return ts;
    }
    return this.#withFiles(address, files, key, (images, ids) =>
      this.#postWords(address, message, key, { ...options, images }, ids, before),
    );
  }

  /**
   * Brings a message's files to Slack and does `work` with them: with images for its blocks, the others in
   * messages of their own. Where Slack does not show images among words those come so, too.
   */
  async #withFiles<T>(
    address: Address,
    files: readonly OutgoingFile[],
    key: string,
    work: (images: readonly SlackImage[], ids: readonly string[]) => Promise<T>,
  ): Promise<T> {
    const { capabilities } = this.#dependencies;
    const { workspace } = address;
    const feature = slackFeatures.slackFileImage;
    const apart = async () =>
      work([], await this.#share(address, this.#attachments.eachInOwnMessage(files), key));
    if (!files.some(isEmbeddable)) return apart();
    if ((await capabilities.find(workspace, feature)) === 'refused') return apart();
    const { images, others } = await this.#attachments.embed(address, files, key);
    const ids = await this.#share(address, others, key);
    try {
      return await work(images, [...images.map(({ id }) => id), ...ids]);
    } catch (error) {
      if (!mayBeContent(error)) throw error;
      const done = await apart();
      // Without the images it went through, so it was them.
      if (isRefused(error)) await capabilities.note(workspace, feature, 'refused');
      return done;
    }
  }

  async #share(address: Address, files: readonly Attachment[], key: string): Promise<string[]> {
    const ids: string[] = [];
    for (const file of files) ids.push((await this.#attachments.share(address, file, key)).id);
    return ids;
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
    const { postedMessages } = this.#dependencies;
    const pieces = splitMarkdown(message.text ?? '', { maxLength: maxMessageLength, length: wireLength });
    const last = pieces.pop() ?? '';
    for (const [index, text] of pieces.entries()) {
      const above = index === 0 && options.header !== undefined ? { header: options.header } : {};
      await this.#inBestFormat(address, (format) =>
        postedMessages.post(address, `${key}:${index}`, { ...renderIn(format, { text }, above) }, before),
      );
    }
    const below = pieces.length === 0 ? options : { images: options.images ?? [] };
    const metadata = metadataOf(address, key, files);
    const ts = await this.#inBestFormat(
      address,
      (format) =>
        postedMessages.post(
          address,
          key,
          { ...renderIn(format, { ...message, text: last }, below), metadata },
          before,
        ),
      Boolean(below.images?.length),
    );
    await this.#dependencies.messageChrome.keep(messageAt(address, ts), { ...below, files });
    return ts;
  }

  async #inBestFormat<T>(
    { workspace }: Address,
    work: (format: MessageFormat) => Promise<T>,
    withImages = false,
  ): Promise<T> {
    const { formats } = this.#dependencies;
    return formats.run(await formats.first(workspace), work, withImages);
  }

  async #fileIds(message: MessageAddress): Promise<string[]> {
    const { files } = await this.#dependencies.messageChrome.of(message);
    if (files) return [...files];
    // A message without files, or one from before files were kept: looking it up is slow for some apps.
    const found = await this.#dependencies.postedMessages.at(message, message.message);
    if (!found) throw new PlatformError('gone');
    const payload = found.metadata?.event_payload as { files?: readonly string[] } | undefined;
    return [...new Set([...(payload?.files ?? []), ...(found.files ?? []).map(({ id }) => id)])];
  }
}
