import { type APIAttachment, MessageFlags, RESTJSONErrorCodes } from 'discord.js';
import {
  type Address,
  type AnsweredJob,
  type IncomingFile,
  type Message,
  type MessageAddress,
  type MessageLimits,
  type OutgoingFile,
  type PlatformAdapter,
  PlatformError,
  type PlatformErrorKind,
  type PostedAnswer,
} from '../../../port/index.ts';
import {
  errorCode,
  isGone,
  isModerated,
  isRefused,
  isThreadClosed,
  takesNoMoreEdits,
  throwExpiredIfUnconfirmed,
  UnconfirmedError,
  withMissingPermissions,
} from '../api/errors.ts';
import { accessAsBot, accessByToken, accessTo, type PostingDependencies } from '../api/message-access.ts';
import { maxLengthBelow, maxMessageLength, withHeader, withoutHeader } from '../api/message-body.ts';
import {
  editRequest,
  type MessageRequest,
  messageRequests,
  sendPlainerIfRefused,
} from '../api/message-requests.ts';
import type { PermissionName } from '../api/permissions.ts';
import type { Download } from '../media/download.ts';
import type { MediaProcessor } from '../media/media-processor.ts';
import { anyDirectMessages, retryWithLowerLimits, type UploadLimits } from '../media/upload-limits.ts';
import { maxImageBytes, maxRequestBytes } from '../media/uploads.ts';
import {
  channelIdOf,
  type InteractionToken,
  isDirectMessage,
  parseToken,
  tokenOfAddress,
} from '../reply/interaction-token.ts';
import { discordWords } from '../words.ts';
import { findAnswer, findContinuation } from './find-answer.ts';
import { fingerprint, messageFingerprint, undefinedIfRefused } from './find-message.ts';
import { partKey } from './posted-messages.ts';
import type { RememberedMessages } from './remembered-messages.ts';
import { type VoiceMessages, voiceClipIn, voiceKey, withoutVoiceClip } from './voice-messages.ts';

export interface AdapterDependencies extends PostingDependencies {
  readonly voices: VoiceMessages;
  readonly media: MediaProcessor;
  readonly notes: RememberedMessages;
  readonly download: Download;
  /** How large files may be where no token states a limit. */
  readonly uploads: Pick<UploadLimits, 'limitAt' | 'retryWithLowerLimits'>;
  /** The permissions that posting in a channel needs and the bot lacks, as far as that is known. */
  readonly missingIn: (channelId: string, files: boolean) => readonly string[];
  /** Which of these permissions the bot lacks in a channel, as far as that is known. */
  readonly lacking: (channelId: string, names: readonly PermissionName[]) => readonly string[];
  /** Whether a channel is a forum or the like, in which nothing can be said but in its posts. */
  readonly holdsPostsAlone: (channelId: string) => boolean;
  /** Whether all who see its channel can read a thread, as far as that is known. */
  readonly isPublicThread: (threadId: string) => boolean;
  readonly channelName: (channelId: string) => string | undefined;
}

/** Why a place takes nothing at all; what it refuses for its content may be taken in a plainer form. */
const shutKinds: readonly PlatformErrorKind[] = ['not-a-member', 'gone', 'no-permission', 'expired'];
const maxThreadName = 100;
/** Posts to Discord at any time: as the bot where it is a member, by an interaction's token elsewhere. */
export class DiscordAdapter implements PlatformAdapter {
  readonly platform = 'discord';
  readonly hasPublicFiles = true;
  readonly #dependencies: AdapterDependencies;

  constructor(dependencies: AdapterDependencies) {
    this.#dependencies = dependencies;
  }

  async post(address: Address, message: Message, key: string): Promise<MessageAddress> {
    const [user] = isDirectMessage(address) ? [] : (message.mentions ?? []);
    if (user === undefined) return this.#postInPlace(address, message, key);
    // What people wrote tells their language; Discord does not.
    const locale = /\p{Script=Han}/u.test(message.text ?? '') ? 'zh-CN' : 'en';
    const directly = () => this.#postDirectly({ user, locale }, message, key);
    // The place may take it again by now.
    const isBegun = await this.hasBegunDirectly(address.workspace, user, key);
    const posted = isBegun ? await undefinedIfRefused(directly()) : undefined;
    if (posted) return posted;
    try {
      return await this.#postInPlace(address, message, key);
    } catch (error) {
      if (!this.#isShut(error, address, message)) throw error;
      return directly().catch((second: unknown) => {
        // What they refuse for its content comes in a plainer form; else it's the place that matters.
        throw second instanceof PlatformError && shutKinds.includes(second.kind) ? error : second;
      });
    }
  }

  /** A place that is known to take words, and may not be given files, is not shut. */
  #isShut(error: unknown, address: Address, { files = [] }: Message): boolean {
    if (errorCode(error) === RESTJSONErrorCodes.InvalidActionOnArchivedThread) return true;
    if (!(error instanceof PlatformError) || !shutKinds.includes(error.kind)) return false;
    if (error.kind !== 'no-permission' || files.length === 0 || tokenOfAddress(address)) return true;
    const channel = channelIdOf(address);
    const { missingIn } = this.#dependencies;
    return missingIn(channel, true).length === 0 || missingIn(channel, false).length > 0;
  }

  async #postInPlace(address: Address, message: Message, key: string): Promise<MessageAddress> {
    const token = tokenOfAddress(address);
    if (token) return this.#postByToken(address, token, message, key);
    try {
      return await this.#postAsBot(address, message, key);
    } catch (error) {
      if (!isThreadClosed(error) || !this.#mayGoToChannel(address))
        throw this.#named(error, address, message);
      const { thread: _, threadIsPublic: __, ...channel } = address;
      return this.#postAsBot(channel, message, key);
    }
  }

  /** What was to stand in a private thread is nothing for its channel; nor where nobody knows what the thread was. */
  #mayGoToChannel({ channel, thread, threadIsPublic }: Address): boolean {
    if (thread === undefined || this.#dependencies.holdsPostsAlone(channel)) return false;
    return threadIsPublic === true || this.#dependencies.isPublicThread(thread);
  }

  /** Its words without the line above them, which an edit puts there again. */
  async findAnswer(job: AnsweredJob): Promise<PostedAnswer | undefined> {
    const found = await findAnswer(this.#dependencies, job);
    const note = found && (await this.#dependencies.notes.find(found.message.message));
    return found && { ...found, text: withoutHeader(note?.header, found.text) };
  }

  /** A voice message stands there by itself; what the answer shows then are the words below it. */
  async hasFilesOf(job: AnsweredJob, message: Message): Promise<boolean> {
    const { postedMessages: posts } = this.#dependencies;
    if (!parseToken(job.acknowledgement ?? {})) return false;
    const found = await findAnswer(this.#dependencies, job);
    if (!found || found.files > 0) return found !== undefined;
    const voice = voiceClipIn(message);
    return voice !== undefined && (await posts.idOf(channelIdOf(job.address), voiceKey(voice))) !== undefined;
  }

  findContinuation(job: AnsweredJob, known: readonly MessageAddress[]): Promise<PostedAnswer | undefined> {
    return findContinuation(this.#dependencies, job, known);
  }

  async directMessages(_workspace: string, person: string): Promise<Address> {
    const channel = await this.#dependencies.directMessages.open(person);
    return { platform: 'discord', workspace: channel, channel };
  }

  async hasBegunDirectly(_workspace: string, person: string, key: string): Promise<boolean> {
    const { directMessages: directs, postedMessages: posts } = this.#dependencies;
    const channel = await directs.known(person);
    return channel !== undefined && posts.isStarted(channel, key);
  }

  async edit(message: MessageAddress, content: Message): Promise<void> {
    await this.#edit(message, editRequest(await this.#withHeader(message, content)));
  }

  /** Where messages of a growing answer break depends on the line above its first one. */
  async messageLimits({ message }: MessageAddress): Promise<MessageLimits> {
    const { header, pieceLength = maxLengthBelow(header) } =
      (await this.#dependencies.notes.find(message)) ?? {};
    return { maxLength: pieceLength };
  }

  async complete(message: MessageAddress, result: Message, key: string): Promise<MessageAddress> {
    const content = await this.#withHeader(message, result);
    const complete = (limit: number) => this.#completeInPlace(message, content, limit);
    const isDone = await this.#uploading(message, complete);
    if (isDone) return message;
    const { message: _, ...address } = message;
    return this.post(address, content, key);
  }

  /** False where it takes more than one message, or that one can't be changed (so) any more. */
  async #completeInPlace(message: MessageAddress, content: Message, limit: number): Promise<boolean> {
    const [only, ...more] = await messageRequests(content, limit, this.#dependencies.media);
    if (more.length > 0) return false;
    try {
      await this.#edit(message, only);
      return true;
    } catch (error) {
      if (takesNoMoreEdits(error) || isRefused(error)) return false;
      throw this.#named(error, message, content);
    }
  }

  /**
   * Takes the place of the loading message; an answer that was begun already is added to, and goes on below.
   * @throws {PlatformError} `expired` also where a part may not be there and can't be sent again: it comes in another way.
   */
  async answerInterrupted(
    acknowledgement: Readonly<Record<string, string>>,
    message: Message,
  ): Promise<void> {
    const token = parseToken(acknowledgement);
    if (!token) throw new PlatformError('expired');
    const route = accessByToken(this.#dependencies, token);
    const original = await route.get('@original');
    const { flags = 0, content } = original;
    const isBegun = (flags & MessageFlags.Loading) === 0;
    const text = [content, message.text].filter(Boolean).join('\n\n');
    // The answer to the same request was lost.
    if (isBegun && message.text && content.endsWith(message.text.trim()) && !message.files?.length) return;
    if (isBegun && !message.files?.length && text.length <= maxMessageLength) {
      await sendPlainerIfRefused(editRequest({ ...message, text }), ({ body }) =>
        route.edit('@original', body, []),
      );
      return;
    }
    const isHidden = (flags & MessageFlags.Ephemeral) !== 0;
    const playable = await this.#dependencies.voices.withPlayableFile(message);
    await retryWithLowerLimits(Math.min(token.uploadLimit, maxRequestBytes), async (limit) => {
      const [first, ...more] = await messageRequests(playable, limit, this.#dependencies.media);
      if (!isBegun)
        await sendPlainerIfRefused(first, ({ body, files }) => route.edit('@original', body, files));
      // A former try may have come so far.
      const isThere = !isBegun || messageFingerprint(original) === fingerprint(first.body, first.files);
      for (const draft of isThere ? more : [first, ...more]) {
        // One interaction may be settled with several things: the interruption, and what came of it.
        const key = `settle ${fingerprint(draft.body, draft.files)}`;
        await this.#followUp({ ...token, hidden: isHidden }, draft, key).catch(throwExpiredIfUnconfirmed);
      }
    });
  }

  async channelName(address: Address): Promise<string | undefined> {
    return this.#dependencies.channelName(channelIdOf(address));
  }

  async remove(message: MessageAddress): Promise<void> {
    await accessTo(this.#dependencies, message).remove(message.message);
  }

  async openThread(message: MessageAddress, name: string): Promise<Address> {
    const { message: id, ...address } = message;
    if (tokenOfAddress(address) || address.thread !== undefined || isDirectMessage(address)) return address;
    // A thread that nobody could be answered in stays shut.
    if (
      this.#dependencies.lacking(address.channel, ['Create Public Threads', 'Send Messages in Threads'])
        .length > 0
    )
      return address;
    const title = [...name.replace(/\s+/gu, ' ').trim()].slice(0, maxThreadName / 2).join('');
    try {
      await this.#dependencies.api.openThread(address.channel, id, title || id);
      return { ...address, thread: id, threadIsPublic: true };
    } catch (error) {
      const unnamed = `#${id.slice(-4)}`;
      if (isModerated(error) && title !== unnamed) return this.openThread(message, unnamed);
      // Somebody forbade threads here, or there are too many: the place itself will do.
      if (errorCode(error) !== undefined && !isGone(error)) return address;
      throw error;
    }
  }

  async maxFileBytes(address: Address, kind: OutgoingFile['kind']): Promise<number> {
    return kind === 'image' ? maxImageBytes : this.#uploadLimit(address);
  }

  /** Bytes that one file may have where something for an address is posted now. */
  async #uploadLimit(address: Address): Promise<number> {
    const { uploads } = this.#dependencies;
    const token = tokenOfAddress(address);
    const alive = token && !this.#isDead(token) ? token.uploadLimit : undefined;
    return Math.min(alive ?? (await uploads.limitAt(token ? anyDirectMessages : address)), maxRequestBytes);
  }

  /** Does work that writes files at an address, told how many bytes one may have; with less where Discord takes less. */
  async #uploading<T>(address: Address, work: (limit: number) => Promise<T>): Promise<T> {
    const token = tokenOfAddress(address);
    if (token && !this.#isDead(token)) return retryWithLowerLimits(await this.#uploadLimit(address), work);
    const limited = async () => work(await this.#uploadLimit(address));
    return this.#dependencies.uploads.retryWithLowerLimits(token ? anyDirectMessages : address, limited);
  }

  #isDead({ until }: InteractionToken): boolean {
    return this.#dependencies.clock.now() >= until;
  }

  async attachments(message: MessageAddress): Promise<readonly IncomingFile[]> {
    const { attachments } = await accessTo(this.#dependencies, message).get(message.message);
    const channel = tokenOfAddress(message) ? undefined : channelIdOf(message);
    return attachments.map((attachment) => attachedFile(attachment, channel, message.message));
  }

  async readFile({ source }: IncomingFile, maxBytes: number): Promise<Uint8Array> {
    return this.#dependencies.download(await this.#addressOf(source), maxBytes);
  }

  /** The line that stands above a message's text stays when that changes. */
  async #withHeader({ message }: MessageAddress, content: Message): Promise<Message> {
    return withHeader((await this.#dependencies.notes.find(message))?.header, content);
  }

  /** Addresses expire after a day; a message knows the present ones of its files. */
  async #addressOf(source: string): Promise<string> {
    const [, channel, message, id] = /^(\d+)\/(\d+)\/(\d+)$/.exec(source) ?? [];
    if (!channel || !message) return source;
    const { attachments } = await accessAsBot(this.#dependencies, channel).get(message);
    const attachment = attachments.find((candidate) => candidate.id === id);
    if (!attachment) throw new PlatformError('gone');
    return attachment.url;
  }

  /** A clip is a voice message where the place has those, its words below; else a file. */
  async #postAsBot(address: Address, message: Message, key: string): Promise<MessageAddress> {
    const { voices, postedMessages: posts } = this.#dependencies;
    const voice = voiceClipIn(message);
    // Its record has the clip's own name.
    if (voice && isDirectMessage(address)) await posts.markStarted(channelIdOf(address), key);
    const clip = voice && (await voices.post(address, voice, key));
    if (!voice || !clip) return this.#postWhole(address, await voices.withPlayableFile(message), key);
    try {
      await this.#postWhole(address, withoutVoiceClip(message, voice), key);
    } catch (error) {
      // The clip is there, and is what was asked for.
      if (!(error instanceof PlatformError) || error.kind === 'unreachable') throw error;
    }
    return clip;
  }

  #postWhole(address: Address, message: Message, key: string): Promise<MessageAddress> {
    const { postedMessages: posts, media } = this.#dependencies;
    return this.#uploading(address, async (limit) => {
      let last = '';
      const drafts = await messageRequests(message, limit, media);
      for (const [index, draft] of drafts.entries()) {
        last = await sendPlainerIfRefused(draft, ({ body, files }) =>
          posts.postOnce(channelIdOf(address), partKey(key, index), body, files),
        );
      }
      return { ...address, message: last };
    });
  }

  /** By the token while it lives; after that as a direct message, because nobody else can post there. */
  async #postByToken(
    address: Address,
    token: InteractionToken,
    message: Message,
    key: string,
  ): Promise<MessageAddress> {
    if (this.#isDead(token)) return this.#postDirectly(token, message, key);
    const playable = await this.#dependencies.voices.withPlayableFile(message);
    try {
      return await this.#uploading(address, async (limit) => {
        let last = '';
        const drafts = await messageRequests(playable, limit, this.#dependencies.media);
        for (const [index, draft] of drafts.entries())
          last = await this.#followUp(token, draft, partKey(key, index));
        return { ...address, message: last };
      });
    } catch (error) {
      if (!(error instanceof UnconfirmedError) && !isGone(error)) throw error;
      // It may be there and must not be there twice, or Discord takes no follow-up any more (10008): a direct message
      // is surely there, and surely once.
      return this.#postDirectly(token, message, key);
    }
  }

  #followUp({ token, hidden }: InteractionToken, draft: MessageRequest, key: string): Promise<string> {
    return sendPlainerIfRefused(draft, ({ body, files }) => {
      const flags = (body.flags ?? 0) | (hidden ? MessageFlags.Ephemeral : 0);
      return this.#dependencies.followUps.post({ token, key, body: { ...body, flags }, files });
    });
  }

  async #postDirectly(
    { user, locale }: Pick<InteractionToken, 'user' | 'locale'>,
    message: Message,
    key: string,
  ): Promise<MessageAddress> {
    const address = await this.directMessages('', user);
    const text =
      message.directly ?? [discordWords(locale).fromElsewhere, message.text].filter(Boolean).join('\n');
    try {
      return await this.#postAsBot(address, { ...message, text }, key);
    } catch (error) {
      if (errorCode(error) === RESTJSONErrorCodes.CannotSendMessagesToThisUser)
        throw new PlatformError('expired');
      throw error;
    }
  }

  /** Edits; a thread that went to sleep is woken first. */
  async #edit(message: MessageAddress, draft: MessageRequest): Promise<void> {
    const route = accessTo(this.#dependencies, message);
    const work = () =>
      sendPlainerIfRefused(draft, ({ body, files }) => route.edit(message.message, body, files));
    try {
      await work();
    } catch (error) {
      if (errorCode(error) !== RESTJSONErrorCodes.InvalidActionOnArchivedThread) throw error;
      await this.#dependencies.api.unarchive(channelIdOf(message));
      await work();
    }
  }

  #named(error: unknown, address: Address, { files = [] }: Message): unknown {
    if (tokenOfAddress(address)) return error;
    return withMissingPermissions(error, () =>
      this.#dependencies.missingIn(channelIdOf(address), files.length > 0),
    );
  }
}

/** A message's file; its source names the message where the bot can ask for it again. */
function attachedFile(attachment: APIAttachment, channel: string | undefined, message: string): IncomingFile {
  const { id, filename, content_type: contentType = '', size, url } = attachment;
  const source = channel === undefined ? url : `${channel}/${message}/${id}`;
  return { name: filename, contentType, size, url, source };
}
