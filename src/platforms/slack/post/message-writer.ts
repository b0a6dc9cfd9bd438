import type { Clock } from '../../../lib/clock.ts';
import type {
  Address,
  Capabilities,
  Message,
  MessageAddress,
  OutgoingFile,
  PlatformErrorKind,
} from '../../../port/index.ts';
import { splitMarkdown } from '../../../reply/index.ts';
import { isRefused, isUneditable, mayBeContent, unpostableKinds } from '../api/errors.ts';
import { slackFeatures } from '../api/features.ts';
import type { CallOptions } from '../api/slack-api.ts';
import { maxMessageLength, type RenderOptions, type SlackImage, wireLength } from '../markup/blocks.ts';
import type { Chrome, MessageChrome } from '../markup/message-chrome.ts';
import { type MessageFormat, type MessageFormats, renderIn } from '../markup/message-formats.ts';
import { hasLink } from '../markup/safe-text.ts';
import type { Uploads } from '../media/uploads.ts';
import { slackWords } from '../words.ts';
import { messageAt, threadOf } from './address.ts';
import { type Attachment, Attachments, commentOf, isEmbeddable, isOnlyComment } from './attachments.ts';
import type { Channels } from './channels/channels.ts';
import type { Edits } from './edits.ts';
import { PostOnce } from './post-once.ts';
import { metadataOf, type PostedMessages, type PostRecord } from './posted-messages.ts';

export interface MessageWriterDependencies {
  readonly channels: Channels;
  readonly postedMessages: PostedMessages;
  readonly uploads: Uploads;
  readonly edits: Edits;
  readonly messageChrome: MessageChrome;
  readonly formats: MessageFormats;
  readonly capabilities: Capabilities;
  readonly clock: Clock;
}

/** Writes whole messages with their files: each under its key once, in the best format that Slack takes. */
export class MessageWriter {
  readonly #dependencies: MessageWriterDependencies;
  readonly #once: PostOnce;
  readonly #attachments: Attachments;

  constructor(dependencies: MessageWriterDependencies) {
    const { postedMessages, uploads, clock } = dependencies;
    this.#dependencies = dependencies;
    this.#once = new PostOnce(postedMessages, clock);
    this.#attachments = new Attachments(postedMessages, uploads, clock);
  }

  /** Posts a message with its files; more text than one message takes becomes several. */
  post(
    address: Address,
    message: Message,
    key: string,
    options: Pick<RenderOptions, 'header'>,
  ): Promise<MessageAddress> {
    return this.#once.run(address, key, (before) => this.#postAll(address, message, key, options, before));
  }

  /** Posts a message of a live answer; one that was posted before with another text shows this one afterwards. */
  async postLive(
    address: Address,
    message: Message,
    chrome: Chrome,
    key: string,
    options: CallOptions,
  ): Promise<MessageAddress> {
    const { postedMessages, messageChrome } = this.#dependencies;
    let isFirst = false;
    const posted = await this.#once.run(address, key, async (before) => {
      isFirst = before === undefined;
      let first: CallOptions = options;
      const ts = await this.#inBestFormat(address, message.buttons, async (format) => {
        const content = { ...renderIn(format, message, chrome) };
        const sent = postedMessages.post(address, key, content, before, first);
        first = {};
        return sent;
      });
      await messageChrome.keep(messageAt(address, ts), chrome);
      return ts;
    });
    if (!isFirst) await this.show(posted, message, chrome);
    return posted;
  }

  /** Replaces what a message shows. */
  async show(message: MessageAddress, content: Message, chrome: Chrome): Promise<void> {
    const edit = (format: MessageFormat) =>
      this.#dependencies.edits.edit(message, { ...renderIn(format, content, chrome) });
    await this.#inBestFormat(message, content.buttons, edit, Boolean(chrome.images?.length));
  }

  /**
   * Replaces what a message shows, and adds files. Images join the message; Slack can add no other file to one, so
   * those come in messages of their own. Slack has no spoilers: what should stay hidden comes in the message's
   * thread. Where the message can't be edited any more, all comes in one below it.
   */
  complete(message: MessageAddress, content: Message, key: string): Promise<MessageAddress> {
    return this.#once.run(message, key, async (before) => {
      const { files = [] } = content;
      // An image needs no post, so its message may take it where the channel takes no other.
      const kinds: readonly PlatformErrorKind[] = files.every(isEmbeddable) ? ['gone'] : unpostableKinds;
      if (files.length > 0) await this.#dependencies.channels.expectOpen(message, before, kinds);
      const isHidden = content.spoiler === true && files.length > 0 && threadOf(message) === undefined;
      const place = isHidden ? inThreadOf(message) : message;
      return this.#withFiles(place, files, key, async (all, ids) => {
        const { edits, messageChrome } = this.#dependencies;
        if (isHidden && all.length > 0)
          await this.#postText(place, {}, `${key}:hidden`, { images: all }, ids, before);
        const images = isHidden ? [] : all;
        const shown = isHidden ? withNote(content) : content;
        const { header } = await messageChrome.of(message);
        const chrome = { ...(header !== undefined && { header }), images, files: ids };
        const metadata = metadataOf(message, key, ids);
        // Its buttons may be pressed before Slack’s response is here, and some need the files.
        await messageChrome.keep(message, { ...(header !== undefined && { header }), files: ids });
        const edit = (format: MessageFormat) =>
          edits.edit(message, { ...renderIn(format, shown, chrome), metadata });
        try {
          await this.#inBestFormat(message, shown.buttons, edit, images.length > 0);
        } catch (error) {
          if (!isUneditable(error)) throw error;
          return this.#postText(inThreadOf(message), shown, `${key}:below`, { images }, ids, before);
        }
        await messageChrome.keep(message, chrome);
        return message.message;
      });
    });
  }

  /** Files first, so that the text with its buttons is below them. */
  async #postAll(
    address: Address,
    message: Message,
    key: string,
    options: Pick<RenderOptions, 'header'>,
    before: PostRecord | undefined,
  ): Promise<string> {
    const { channels, messageChrome } = this.#dependencies;
    const { files = [] } = message;
    const [only] = files;
    if (only) await channels.expectOpen(address, before);
    if (files.length === 1 && only && !isEmbeddable(only) && isOnlyComment(message)) {
      const comment = commentOf(message, options.header);
      const { ts, id } = await this.#attachments.share(address, { slot: '0', file: only }, key, comment);
      await messageChrome.keep(messageAt(address, ts), { files: [id] });
      return ts;
    }
    return this.#withFiles(address, files, key, (images, ids) =>
      this.#postText(address, message, key, { ...options, images }, ids, before),
    );
  }

  /**
   * Uploads a message's files and does `work` with them: images for its blocks, the others in messages of their own.
   * Where Slack doesn't show images in blocks, those too.
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
    const withoutImages = async () =>
      work([], await this.#share(address, this.#attachments.eachInOwnMessage(files), key));
    if (!files.some(isEmbeddable)) return withoutImages();
    if ((await capabilities.find(workspace, feature)) === 'refused') return withoutImages();
    const { images, others } = await this.#attachments.embed(address, files, key);
    const ids = await this.#share(address, others, key);
    try {
      return await work(images, [...images.map(({ id }) => id), ...ids]);
    } catch (error) {
      if (!mayBeContent(error)) throw error;
      const done = await withoutImages();
      // It went through without the images, so they were the reason.
      if (isRefused(error)) await capabilities.note(workspace, feature, 'refused');
      return done;
    }
  }

  async #share(address: Address, files: readonly Attachment[], key: string): Promise<string[]> {
    const ids: string[] = [];
    for (const file of files) ids.push((await this.#attachments.share(address, file, key)).id);
    return ids;
  }

  /** Posts a message's text; more than one message takes becomes several, the buttons under the last. */
  async #postText(
    address: Address,
    message: Message,
    key: string,
    options: RenderOptions,
    files: readonly string[],
    before: PostRecord | undefined,
  ): Promise<string> {
    const { postedMessages, messageChrome } = this.#dependencies;
    const pieces = splitMarkdown(message.text ?? '', { maxLength: maxMessageLength, length: wireLength });
    const last = pieces.pop() ?? '';
    for (const [index, text] of pieces.entries()) {
      const above = index === 0 && options.header !== undefined ? { header: options.header } : {};
      await this.#inBestFormat(address, [], (format) =>
        postedMessages.post(address, `${key}:${index}`, { ...renderIn(format, { text }, above) }, before),
      );
    }
    const chrome = pieces.length === 0 ? options : { images: options.images ?? [] };
    const metadata = metadataOf(address, key, files);
    const post = (format: MessageFormat) => {
      const content = {
        ...renderIn(format, { ...message, text: last }, chrome),
        metadata,
        ...(isPreviewed(message) && { unfurl_media: true }),
      };
      return postedMessages.post(address, key, content, before);
    };
    const ts = await this.#inBestFormat(address, message.buttons, post, Boolean(chrome.images?.length));
    await messageChrome.keep(messageAt(address, ts), { ...chrome, files });
    return ts;
  }

  async #inBestFormat<T>(
    { workspace }: Address,
    buttons: Message['buttons'],
    work: (format: MessageFormat) => Promise<T>,
    withImages = false,
  ): Promise<T> {
    const { formats } = this.#dependencies;
    return formats.run(workspace, await formats.first(workspace, buttons), work, withImages);
  }
}

/** The thread of a message, or the one it's in. */
function inThreadOf(message: MessageAddress): MessageAddress {
  const under = threadOf(message) ?? message.message;
  return { ...message, platformData: { ...message.platformData, under } };
}

/** A message whose files are hidden in its thread. Slack doesn't tell the person's language here; what they wrote does. */
function withNote(content: Message): Message {
  const { text = '' } = content;
  const { inThread } = slackWords(/\p{Script=Han}/u.test(text) ? 'zh-CN' : 'en');
  return { ...content, text: [text, inThread].filter(Boolean).join('\n') };
}

/** Whether a message's link may have a preview: nothing else in it may, because people's links could leak something. */
function isPreviewed({ link, text = '', spoiler }: Message): boolean {
  return link !== undefined && !spoiler && !hasLink(text);
}
