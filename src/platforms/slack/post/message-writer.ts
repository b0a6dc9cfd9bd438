import {
  type Address,
  localeOfText,
  type Message,
  type MessageAddress,
  type OnPosted,
  PlatformError,
  refusalOf,
  undefinedIfRefused,
} from '../../../port/index.ts';
import { isUneditable, platformError, slackCode } from '../api/errors.ts';
import type { CallOptions } from '../api/slack-api.ts';
import type { RenderOptions, SlackImage } from '../markup/blocks.ts';
import { type Chrome, type MessageFormat, renderIn } from '../markup/message-formats.ts';
import { mentioningPeople } from '../people/people.ts';
import { slackWords } from '../words.ts';
import { isDirect, isNewThread, messageAt, threadOf } from './address.ts';
import { deleteMessage, deletionOf, type Edits } from './edits.ts';
import {
  MessageParts,
  type MessagePartsDependencies,
  type Posting,
  type SharedFiles,
} from './message-parts.ts';
import { markOf, metadataOf, type PostedParts, type PostRecord } from './posted-messages.ts';

export interface MessageWriterDependencies extends MessagePartsDependencies {
  readonly edits: Edits;
  /** Whether only Slack's notice that it was deleted is left of a message, as far as Slack lets that be known. */
  readonly isTombstone: (message: MessageAddress) => Promise<boolean>;
}

/** How a message is posted. */
export type PostOptions = Pick<RenderOptions, 'header'> & Pick<Posting, 'sign'>;

/** Writes whole messages with their files: each under its key once, in the best format that Slack takes. */
export class MessageWriter {
  readonly #dependencies: MessageWriterDependencies;
  readonly #parts: MessageParts;
  /** What is being posted, by its mark. */
  readonly #posts = new Map<string, Promise<MessageAddress>>();
  /** Announcements that are being removed, by the mark of their result. */
  readonly #removals = new Map<string, Promise<'done' | 'deleted'>>();

  constructor(dependencies: MessageWriterDependencies) {
    this.#dependencies = dependencies;
    this.#parts = new MessageParts(dependencies);
  }

  /**
   * Posts a message with its files; more text than one message takes becomes several. Files that should stay hidden come in
   * its thread; in direct messages nobody else is there.
   */
  post(
    address: Address,
    content: Message,
    key: string,
    { sign, ...options }: PostOptions,
    onPosted?: OnPosted,
  ): Promise<MessageAddress> {
    const message = mentioningPeople(content);
    const mustBeHidden = isToBeHidden(address, message);
    return this.#once(address, key, async (before) => {
      const posting = { address, key, before, onPosted, mustBeHidden, sign };
      return mustBeHidden && threadOf(address) === undefined
        ? this.#postHidden(posting, message, options)
        : this.#parts.postAll(posting, message, options);
    });
  }

  /** Posts a message whose files come in its thread; where those are refused, nothing of it stays. */
  async #postHidden(
    posting: Posting,
    content: Message,
    options: Pick<RenderOptions, 'header'>,
  ): Promise<PostedParts> {
    const { onPosted, mustBeHidden, ...unnoted } = posting;
    const { address, before } = posting;
    const { api, channels, messageChrome } = this.#dependencies;
    const { files = [], ...said } = content;
    await channels.expectOpen(address, before);
    // It isn't on record before it's sure to stay: what the bot takes back itself nobody has deleted.
    const shown = await this.#parts.postText(unnoted, withNote(said), options);
    const message = messageAt(address, shown.ts);
    try {
      const under = { ...posting, address: inThreadOf(message) };
      await this.expectHiding(under.address, content);
      return await this.#parts.withFiles(under, files, async (images, shared) => {
        const hidden = await this.#postUnder(under, images, [], shared);
        await messageChrome.keep(message, { ...options, files: shared.ids });
        await onPosted?.(message);
        return { ts: shown.ts, parts: [...shown.parts, ...hidden] };
      });
    } catch (error) {
      if (refusalOf(error))
        for (const ts of [...shown.parts, shown.ts]) await deleteMessage(api, address, ts);
      throw error;
    }
  }

  /** Posts what stays hidden in the thread of its message. @returns the messages in the thread. */
  async #postUnder(
    posting: Posting,
    images: readonly SlackImage[],
    mentions: readonly string[],
    { ids, parts }: SharedFiles,
  ): Promise<readonly string[]> {
    if (images.length + mentions.length === 0) return parts;
    const under = { ...posting, key: `${posting.key}:hidden` };
    const { ts } = await this.#parts.postText(under, { mentions }, { images }, { ids, parts: [] });
    return [...parts, ts];
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
    const posted = await this.#once(address, key, async (before) => {
      isFirst = before === undefined;
      const { sign, ...slot } = options;
      let first: CallOptions = slot;
      const ts = await this.#parts.inBestFormat(address, message.buttons, async (format) => {
        const content = { ...renderIn(format, message, chrome) };
        const sent = postedMessages.post(address, key, content, before, { sign, ...first });
        first = {};
        return sent;
      });
      await messageChrome.keep(messageAt(address, ts), { ...chrome, files: [] });
      return { ts, parts: [] };
    });
    if (!isFirst) await this.show(posted, message, chrome);
    return posted;
  }

  /** Replaces what a message shows. */
  async show(message: MessageAddress, content: Message, chrome: Chrome): Promise<void> {
    const edit = (format: MessageFormat) =>
      this.#dependencies.edits.edit(message, { ...renderIn(format, content, chrome) });
    await this.#parts.inBestFormat(message, content.buttons, edit, Boolean(chrome.images?.length));
  }

  /**
   * Turns an announcement into its result. What has files, or somebody to notify, is a new message in its place: Slack
   * shows others a picture only in a message that was posted with it (java-slack-sdk#1441), and notifies nobody of an
   * edit. The announcement is removed then, by whoever goes on if the process dies before. Slack has no spoilers: what
   * should stay hidden is a new message in the announcement's thread.
   * `replaces` is called once the files are uploaded, right before the new message is posted.
   * @throws {PlatformError} `deleted` if somebody deletes the announcement before the bot does.
   */
  async complete(
    message: MessageAddress,
    given: Message,
    key: string,
    replaces?: OnPosted,
  ): Promise<MessageAddress> {
    const content = mentioningPeople(given);
    const { files = [], mentions = [] } = content;
    const isHidden = hasHiddenFiles(content) && threadOf(message) === undefined;
    const { message: _, ...place } = message;
    if (isHidden || files.length + mentions.length === 0) {
      return this.#once(message, key, (before) => this.#replace(message, content, key, isHidden, before));
    }
    const posted = await this.#once(place, key, (before) =>
      this.#postInPlaceOf(message, content, key, before, replaces),
    );
    const mark = markOf(place, key);
    const removed = this.#removals.get(mark) ?? this.#removeAnnouncement(message, content, key);
    this.#removals.set(mark, removed);
    const fate = await removed.finally(() => this.#removals.delete(mark));
    if (fate === 'done') return posted;
    for (const ts of [...(posted.parts ?? []), posted.message])
      await deleteMessage(this.#dependencies.api, place, ts);
    throw new PlatformError('deleted');
  }

  /** Throws `file-not-allowed` where files that should stay hidden would be seen: only a thread hides them. */
  async expectHiding(address: Address, message: Message): Promise<void> {
    const mustBeHidden = hasHiddenFiles(message);
    if (mustBeHidden) await this.#dependencies.postedMessages.threadFor(address, { mustBeHidden });
  }

  async #postInPlaceOf(
    message: MessageAddress,
    content: Message,
    key: string,
    before: PostRecord | undefined,
    replaces: OnPosted | undefined,
  ): Promise<PostedParts> {
    const { message: _, ...place } = message;
    await this.#expectUndeleted(message);
    const { header } = await this.#dependencies.messageChrome.of(message);
    const mentions = notifiedAt(place, content);
    // The line above tells no more than whom the message mentions, unless it has a link.
    const isSaid = mentions.length > 0 && header !== undefined && !header.includes('<http');
    const above = header === undefined || isSaid ? {} : { header };
    const mustBeHidden = isToBeHidden(place, content);
    // Uploads take long: until they're done, whoever deletes the announcement means the result.
    const beforeText = async () => {
      await this.#expectUndeleted(message);
      await replaces?.(message);
    };
    return this.#parts.postAll(
      { address: place, key, before, mustBeHidden, beforeText },
      { ...content, mentions },
      above,
    );
  }

  /** Throws `deleted` if somebody has deleted the announcement: then nothing comes in its place. */
  async #expectUndeleted(message: MessageAddress): Promise<void> {
    const { workspace, channel, message: ts } = message;
    try {
      await this.#dependencies.api.call(workspace, 'chat.getPermalink', { channel, message_ts: ts });
    } catch (error) {
      const known = platformError(error);
      if (slackCode(error) === 'message_not_found') throw new PlatformError('deleted', known.detail);
      // What else keeps the result from being posted shows when it is.
      if (known.kind === 'unreachable') throw known;
    }
    const mayHaveReplies = threadOf(message) === undefined && !isDirect(channel);
    if (mayHaveReplies && (await this.#dependencies.isTombstone(message))) throw new PlatformError('deleted');
  }

  /**
   * Removes an announcement whose result is there; `deleted` if somebody else did. That it's removed from now on is on record
   * before the first try: what's gone at a later one the bot itself has removed. Where Slack refuses, it says no longer that
   * something is under way.
   */
  async #removeAnnouncement(
    message: MessageAddress,
    { text = '' }: Message,
    key: string,
  ): Promise<'done' | 'deleted'> {
    const { api, edits, messageChrome, postedMessages } = this.#dependencies;
    const { message: ts, ...place } = message;
    edits.forget(message);
    const { announcement } = (await postedMessages.record(place, key)) ?? {};
    if (announcement === 'deleted') return 'deleted';
    await postedMessages.note(place, key, { announcement: 'removed' });
    const fate = await deletionOf(api, message, ts);
    if (fate === 'gone' && announcement === undefined) {
      await postedMessages.note(place, key, { announcement: 'deleted' });
      return 'deleted';
    }
    if (fate === 'refused')
      await undefinedIfRefused(this.show(message, { text }, await messageChrome.of(message)));
    // It's no message of the job any more.
    else await messageChrome.forgetWords(message);
    return 'done';
  }

  /**
   * Does `work` once for a key, in this process and across restarts; it returns the messages it took. A post that was made
   * before is returned from the record; `work` gets the record of one that was begun before; one under way is waited for.
   */
  #once(
    address: Address,
    key: string,
    work: (before: PostRecord | undefined) => Promise<PostedParts>,
  ): Promise<MessageAddress> {
    const mark = markOf(address, key);
    const post = async () => {
      const { postedMessages } = this.#dependencies;
      const before =
        (await postedMessages.record(address, key)) ?? (await postedMessages.lostRecord(address, key));
      if (before?.ts !== undefined) return postedAt(address, { parts: [], ...before, ts: before.ts });
      if (!before) await postedMessages.note(address, key, {});
      const posted = await work(before);
      await postedMessages.note(address, key, posted);
      return postedAt(address, posted);
    };
    const done = this.#posts.get(mark) ?? post().finally(() => this.#posts.delete(mark));
    this.#posts.set(mark, done);
    return done;
  }

  /** Replaces what a message shows; with files that should stay hidden, those come in its thread. */
  async #replace(
    message: MessageAddress,
    content: Message,
    key: string,
    isHidden: boolean,
    before: PostRecord | undefined,
  ): Promise<PostedParts> {
    const { files = [] } = content;
    if (isHidden) {
      await this.#expectUndeleted(message);
      await this.#dependencies.channels.expectOpen(message, before);
      await this.expectHiding(inThreadOf(message), content);
    }
    const posting = { address: inThreadOf(message), key, before, mustBeHidden: isHidden };
    return this.#parts.withFiles(posting, files, async (images, shared) => {
      const { edits, messageChrome } = this.#dependencies;
      const { ids } = shared;
      const mentions = notifiedAt(message, content);
      if (isHidden) await this.#expectUndeleted(message);
      const parts = isHidden ? await this.#postUnder(posting, images, mentions, shared) : shared.parts;
      const shown = { ...(isHidden ? withNote(content) : content), mentions: [] };
      const { header } = await messageChrome.of(message);
      const chrome = { ...(header !== undefined && { header }), files: ids };
      // Its buttons may be pressed before Slack’s response is here, and some need the files.
      await messageChrome.keep(message, chrome);
      const metadata = metadataOf(message, key, ids);
      const edit = (format: MessageFormat) =>
        edits.edit(message, { ...renderIn(format, shown, chrome), metadata });
      try {
        await this.#parts.inBestFormat(message, shown.buttons, edit);
      } catch (error) {
        if (!isUneditable(error)) throw error;
        return this.#parts.postText({ ...posting, key: `${key}:below` }, shown, {}, { ids, parts });
      }
      return { ts: message.message, parts };
    });
  }
}

/** Whether a message has files that should stay hidden. */
function hasHiddenFiles({ spoiler, files = [] }: Message): boolean {
  return spoiler === true && files.length > 0;
}

/** Whether a message may come in a thread alone; in direct messages nobody else is there. */
function isToBeHidden({ channel }: Address, message: Message): boolean {
  return hasHiddenFiles(message) && !isDirect(channel);
}

/**
 * Whom a result has to name to notify them: nobody in direct messages, or in the thread under what they wrote. Whether they
 * follow another thread isn't known: by a menu or a button they may have asked where they never wrote.
 */
function notifiedAt(place: Address, { mentions = [] }: Message): readonly string[] {
  return isDirect(place.channel) || isNewThread(place) ? [] : mentions;
}

/** The thread of a message, or the one it's in. */
function inThreadOf(message: MessageAddress): MessageAddress {
  const under = threadOf(message) ?? message.message;
  return { ...message, platformData: { ...message.platformData, under } };
}

/** A message whose files are hidden in its thread. Slack doesn't tell the person's language here; what they wrote does. */
function withNote(content: Message): Message {
  const { text = '' } = content;
  const { inThread } = slackWords(localeOfText(text) ?? 'en');
  return { ...content, text: [text, inThread].filter(Boolean).join('\n') };
}

function postedAt(address: Address, { ts, parts }: PostedParts): MessageAddress {
  return { ...messageAt(address, ts), ...(parts.length > 0 && { parts }) };
}
