import type { Clock } from '../../../lib/clock.ts';
import type { Address, Capabilities, Message, OutgoingFile } from '../../../port/index.ts';
import { splitMarkdown } from '../../../reply/index.ts';
import { isRefused, mayBeContent } from '../api/errors.ts';
import { slackFeatures } from '../api/features.ts';
import { maxMessageLength, type RenderOptions, type SlackImage, wireLength } from '../markup/blocks.ts';
import type { MessageChrome } from '../markup/message-chrome.ts';
import { type MessageFormat, type MessageFormats, renderIn } from '../markup/message-formats.ts';
import { hasLink } from '../markup/safe-text.ts';
import type { Uploads } from '../media/uploads.ts';
import { messageAt } from './address.ts';
import { type Attachment, Attachments, commentOf, isEmbeddable, isOnlyComment } from './attachments.ts';
import type { Channels } from './channels/channels.ts';
import { metadataOf, type PostedMessages, type PostRecord } from './posted-messages.ts';

export interface MessagePartsDependencies {
  readonly channels: Channels;
  readonly postedMessages: PostedMessages;
  readonly uploads: Uploads;
  readonly messageChrome: MessageChrome;
  readonly formats: MessageFormats;
  readonly capabilities: Capabilities;
  readonly clock: Clock;
}

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
    return this.withFiles(address, files, key, (images, ids) =>
      this.postText(address, message, key, { ...options, images }, ids, before),
    );
  }

  /**
   * Uploads a message's files and does `work` with them: images for its blocks, the others in messages of their own.
   * Where Slack doesn't show images in blocks, those too.
   */
  async withFiles<T>(
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
  async postText(
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
      await this.inBestFormat(address, [], (format) =>
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
    const ts = await this.inBestFormat(address, message.buttons, post, Boolean(chrome.images?.length));
    await messageChrome.keep(messageAt(address, ts), { ...chrome, files });
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
