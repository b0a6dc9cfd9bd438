import type { Clock } from '../../../lib/clock.ts';
import {
  type Address,
  type Capabilities,
  type Message,
  type OnPosted,
  type OutgoingFile,
  refusalOf,
  textFile,
  undefinedIfRefused,
} from '../../../port/index.ts';
import { firstMessages, mostMessages, splitMarkdown } from '../../../reply/index.ts';
import { isRefused, mayBeContent, slackFeatures } from '../api/errors.ts';
import type { Sign, SlackApi } from '../api/slack-api.ts';
import { type RenderOptions, type SlackImage, textLimits } from '../markup/blocks.ts';
import {
  type MessageChrome,
  type MessageFormat,
  type MessageFormats,
  renderIn,
} from '../markup/message-formats.ts';
import { hasLink } from '../markup/mrkdwn.ts';
import type { Uploads } from '../media/uploads.ts';
import { isDirect, messageAt } from './address.ts';
import { type Attachment, Attachments, commentOf, isEmbeddable, isOnlyComment } from './attachments.ts';
import type { Channels } from './channels/channels.ts';
import { deleteMessage } from './edits.ts';
import {
  type InThread,
  metadataOf,
  type PostedMessages,
  type PostedParts,
  type PostRecord,
} from './posted-messages.ts';

export interface MessagePartsDependencies {
  readonly api: SlackApi;
  readonly channels: Channels;
  readonly postedMessages: PostedMessages;
  readonly uploads: Uploads;
  readonly messageChrome: MessageChrome;
  readonly formats: MessageFormats;
  readonly capabilities: Capabilities;
  readonly clock: Clock;
}

/** Where something is posted, and under which key. */
export interface Posting extends InThread {
  readonly address: Address;
  readonly key: string;
  /** The record of an earlier try. */
  readonly before: PostRecord | undefined;
  readonly onPosted?: OnPosted | undefined;
  /** Awaited right before the message with the text is posted; what it throws refuses the whole. */
  readonly beforeText?: (() => Promise<void>) | undefined;
  /** What a message with text takes the place of. */
  readonly sign?: Sign | undefined;
}

/** The files of a message: their ids, and the messages that those have which stand apart. */
export interface SharedFiles {
  readonly ids: readonly string[];
  readonly parts: readonly string[];
}

/** A text of more messages than this comes in direct messages as a file, below its first message. */
const mostDirectMessages = 4;

/** Posts what one message of ours may be in Slack: its files, and its text in as many messages as that takes. */
export class MessageParts {
  readonly #dependencies: MessagePartsDependencies;
  readonly #attachments: Attachments;

  constructor(dependencies: MessagePartsDependencies) {
    const { postedMessages, uploads, clock } = dependencies;
    this.#dependencies = dependencies;
    this.#attachments = new Attachments(postedMessages, uploads, clock);
  }

  /** Files first, so that the text with its buttons is below them. */
  async postAll(
    posting: Posting,
    message: Message,
    options: Pick<RenderOptions, 'header'>,
  ): Promise<PostedParts> {
    const { channels } = this.#dependencies;
    const { files = [] } = message;
    const [only] = files;
    if (only) await channels.expectOpen(posting.address, posting.before);
    if (files.length === 1 && only && !isEmbeddable(only) && isOnlyComment(message)) {
      const comment = commentOf(message, options.header);
      const { parts } = await this.#share(posting, [{ slot: '0', file: only }], comment);
      return { ts: parts.join(), parts: [] };
    }
    return this.withFiles(posting, files, async (images, shared) => {
      await posting.beforeText?.();
      return this.postText(posting, message, { ...options, images }, shared);
    });
  }

  /**
   * Uploads a message's files and does `work` with them: images for its blocks, the others in messages of their own.
   * Where Slack doesn't show images in blocks, those too. If `work` is refused, nothing of them stays.
   */
  async withFiles<T>(
    posting: Posting,
    files: readonly OutgoingFile[],
    work: (images: readonly SlackImage[], shared: SharedFiles) => Promise<T>,
  ): Promise<T> {
    let last: SharedFiles = { ids: [], parts: [] };
    try {
      return await this.#withShared(posting, files, (images, shared) => {
        last = shared;
        return work(images, shared);
      });
    } catch (error) {
      if (refusalOf(error)) await this.#takeBack(posting, last);
      throw error;
    }
  }

  async #withShared<T>(
    posting: Posting,
    files: readonly OutgoingFile[],
    work: (images: readonly SlackImage[], shared: SharedFiles) => Promise<T>,
  ): Promise<T> {
    const { address, key } = posting;
    const { capabilities } = this.#dependencies;
    const { workspace } = address;
    const feature = slackFeatures.slackFileImage;
    const withoutImages = async () =>
      work([], await this.#share(posting, this.#attachments.eachInOwnMessage(files)));
    if (!files.some(isEmbeddable)) return withoutImages();
    if ((await capabilities.find(workspace, feature)) === 'refused') return withoutImages();
    const { images, others } = await this.#attachments.embed(address, files, key);
    const { ids, parts } = await this.#share(posting, others);
    try {
      return await work(images, { ids: [...images.map(({ id }) => id), ...ids], parts });
    } catch (error) {
      if (!mayBeContent(error)) throw error;
      const done = await withoutImages();
      // It went through without the images, so they were the reason.
      if (isRefused(error)) await capabilities.note(workspace, feature, 'refused');
      return done;
    }
  }

  async #share(
    { address, key, onPosted, mustBeHidden }: Posting,
    files: readonly Attachment[],
    comment?: string,
  ): Promise<SharedFiles> {
    const ids: string[] = [];
    const parts: string[] = [];
    for (const file of files) {
      const { id, ts } = await this.#attachments.share(address, file, key, { comment, mustBeHidden });
      await this.#dependencies.messageChrome.keep(messageAt(address, ts), { files: [id] });
      await onPosted?.(messageAt(address, ts));
      ids.push(id);
      parts.push(ts);
    }
    return { ids, parts };
  }

  /** What's tried under the same key later uploads the files again. */
  async #takeBack({ address, key }: Posting, { ids, parts }: SharedFiles): Promise<void> {
    const { uploads, api, postedMessages } = this.#dependencies;
    if (ids.length > 0) await postedMessages.note(address, key, { files: {} });
    for (const ts of parts) await deleteMessage(api, address, ts);
    for (const id of ids) await undefinedIfRefused(uploads.remove(address.workspace, id));
  }

  /**
   * Posts a message's text; more than one message takes becomes several, the buttons under the last. The whole of one that
   * takes too many is a file below; where that's refused, the rest comes as messages after all.
   */
  async postText(
    posting: Posting,
    message: Message,
    options: RenderOptions,
    files: SharedFiles = { ids: [], parts: [] },
  ): Promise<PostedParts> {
    const { text = '', note } = message;
    const pieces = splitMarkdown(text, textLimits);
    const isLongDirectly = isDirect(posting.address.channel) && pieces.length > mostDirectMessages;
    const most = isLongDirectly ? 1 : mostMessages;
    const { messages, rest } = firstMessages(pieces, most, note, textLimits);
    const above = messages.slice(0, -1);
    const parts = [...files.parts, ...(await this.#postPieces(posting, above, 0, options))];
    const chrome = above.length === 0 ? options : { images: options.images ?? [] };
    const ts = await this.#postLast(posting, { ...message, text: messages.at(-1) ?? '' }, chrome, files.ids);
    if (rest.length === 0) return { ts, parts };
    const whole = { slot: 'whole', file: textFile(text) };
    const below = await this.#share(posting, [whole]).catch(async (error: unknown) => {
      if (!refusalOf(error)) throw error;
      return { parts: await this.#postPieces(posting, rest, messages.length, {}) };
    });
    return { ts, parts: [...parts, ...below.parts] };
  }

  /** Posts pieces of a text, numbered from `first`, without buttons. */
  async #postPieces(
    { address, key, before, onPosted, mustBeHidden, sign }: Posting,
    pieces: readonly string[],
    first: number,
    { header }: Pick<RenderOptions, 'header'>,
  ): Promise<string[]> {
    const stamps: string[] = [];
    for (const [index, text] of pieces.entries()) {
      const above = index === 0 && header !== undefined ? { header } : {};
      const ts = await this.inBestFormat(address, [], (format) =>
        this.#dependencies.postedMessages.post(
          address,
          `${key}:${first + index}`,
          { ...renderIn(format, { text }, above) },
          before,
          { mustBeHidden, sign },
        ),
      );
      await onPosted?.(messageAt(address, ts));
      stamps.push(ts);
    }
    return stamps;
  }

  /** Posts the last piece of a text, or all of it, with what belongs to the whole message. */
  async #postLast(
    { address, key, before, onPosted, mustBeHidden, sign }: Posting,
    message: Message,
    chrome: RenderOptions,
    files: readonly string[],
  ): Promise<string> {
    const { postedMessages, messageChrome } = this.#dependencies;
    const metadata = metadataOf(address, key, files);
    const post = (format: MessageFormat) => {
      const content = {
        ...renderIn(format, message, chrome),
        metadata,
        ...(isPreviewed(message) && { unfurl_media: true }),
      };
      return postedMessages.post(address, key, content, before, { mustBeHidden, sign });
    };
    const ts = await this.inBestFormat(address, message.buttons, post, Boolean(chrome.images?.length));
    await messageChrome.keep(messageAt(address, ts), { ...chrome, files });
    await onPosted?.(messageAt(address, ts));
    return ts;
  }

  /** Does `work` in the best format that Slack takes. */
  async inBestFormat<T>(
    { workspace }: Address,
    buttons: Message['buttons'],
    work: (format: MessageFormat) => Promise<T>,
    withImages = false,
  ): Promise<T> {
    const { formats } = this.#dependencies;
    return formats.run(workspace, await formats.first(workspace, buttons), work, withImages);
  }
}

/** Whether a message's link may have a preview: nothing else in it may, because people's links could leak something. */
function isPreviewed({ link, text = '', spoiler }: Message): boolean {
  return link !== undefined && !spoiler && !hasLink(text);
}
