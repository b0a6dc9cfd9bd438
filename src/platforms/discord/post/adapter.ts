import { type APIMessage, ComponentType, RESTJSONErrorCodes } from 'discord-api-types/v10';
import {
  type Address,
  type AnsweredJob,
  type DeletedMessages,
  type Door,
  type EditOptions,
  type IncomingFile,
  type Job,
  type Message,
  type MessageAddress,
  type MessageLimits,
  type OnPosted,
  type OutgoingFile,
  type PlatformAdapter,
  PlatformError,
  type PostedAnswer,
  refusalOf,
  undefinedIfRefused,
} from '../../../port/index.ts';
import { discordFeatures, errorCode, isThreadClosed, takesNoMoreEdits } from '../api/errors.ts';
import {
  acknowledgedBy,
  asReplyTo,
  channelIdOf,
  deletedMessages,
  isDirectMessage,
  isGivenByMessage,
  linkToMessage,
  type MessageBody,
  messageBody,
  serializeToken,
  splitText,
  takesManyEdits,
  tokenOfAddress,
} from '../api/messages.ts';
import { NothingLeftOverError, type Pace } from '../api/rate-limits.ts';
import { fileNameIn, filesShownIn, shownFiles } from '../media/attached-files.ts';
import { maxImageBytes } from '../media/upload-limits.ts';
import { answerInterrupted, doorsOf } from './doors.ts';
import { findAnswer, findContinuation, findResult } from './find-answer.ts';
import {
  accessTo,
  editRequest,
  type MessageRequest,
  messageRequests,
  mostMessagesAt,
  sendPlainerIfRefused,
} from './message-access.ts';
import {
  maxLengthBelow,
  withHeader,
  withoutHeader,
  withoutSpeaker,
  withSpeaker,
  withWhose,
} from './message-header.ts';
import { DiscordPlaces } from './places.ts';
import { Poster } from './poster.ts';
import type { DiscordServices } from './services.ts';
import { voiceClipIn, voiceKey } from './voice-messages.ts';

/** The port's adapter: posts, finds and edits messages on Discord at any time. */
export class DiscordAdapter extends DiscordPlaces implements PlatformAdapter {
  readonly platform = 'discord';
  override readonly hasPublicFiles = true;
  readonly #poster: Poster;

  constructor(services: DiscordServices) {
    super(services);
    this.#poster = new Poster(services);
  }

  override doors(job: Job, announced?: MessageAddress): readonly Door[] {
    const complete = (message: MessageAddress, result: Message, key: string) =>
      this.complete(message, result, key);
    return doorsOf({ services: this.services, poster: this.#poster, complete }, job, announced);
  }

  post(address: Address, message: Message, key: string, onPosted?: OnPosted): Promise<MessageAddress> {
    return this.#poster.post(address, { message: withWhose(message), key, onPosted });
  }

  override postThere(
    address: Address,
    message: Message,
    key: string,
    onPosted?: OnPosted,
  ): Promise<MessageAddress> {
    return this.#poster.postThere(address, { message: withWhose(message), key, onPosted });
  }

  /** Follow-ups can't be listed, and whether their nonce counts isn't certain. */
  override postsOnce(address: Address): boolean {
    return tokenOfAddress(address) === undefined;
  }

  /** Its text is without the header, which an edit adds again. */
  override async findAnswer(job: AnsweredJob): Promise<PostedAnswer | undefined> {
    const found = await findAnswer(this.services, job);
    return found && { ...found, text: withoutHeader(await this.#headerOf(found.message), found.text) };
  }

  /** A voice message is a message of its own; the answer is then the text after it. */
  override findResult(announcement: MessageAddress, job: AnsweredJob): Promise<MessageAddress | undefined> {
    return findResult(this.services, announcement, job);
  }

  override async deletedQuestion(job: Job): Promise<readonly DeletedMessages[]> {
    const { question, address } = job;
    if (question === undefined || !isGivenByMessage(job)) return [];
    const { api, clock } = this.services;
    const isDeleted = await api.isDeleted(channelIdOf(address), question);
    return isDeleted ? [deletedMessages([question], clock.now())] : [];
  }

  override async hasFilesOf(job: AnsweredJob, message: Message): Promise<boolean> {
    if (!job.acknowledgement) return false;
    const found = await findAnswer(this.services, job);
    if (!found || found.files > 0) return found !== undefined;
    const clip = voiceClipIn(message);
    if (clip === undefined) return false;
    const { postedMessages } = this.services;
    return (await postedMessages.idOf(channelIdOf(job.address), voiceKey(clip))) !== undefined;
  }

  override findContinuation(
    job: AnsweredJob,
    known: readonly MessageAddress[],
    text?: string,
  ): Promise<PostedAnswer | undefined> {
    return findContinuation(this.services, job, known, text);
  }

  override takesManyEdits(message: MessageAddress): boolean {
    return takesManyEdits(message, this.services.clock.now());
  }

  /** Growing takes many edits. */
  override rewritesAnswers(message: MessageAddress): boolean {
    return tokenOfAddress(message) === undefined && this.takesManyEdits(message);
  }

  directMessages(_workspace: string, person: string): Promise<Address> {
    return this.#poster.directMessages(person);
  }

  override closesAt(message: MessageAddress): number | undefined {
    return tokenOfAddress(message)?.until;
  }

  override async relabelButton(at: MessageAddress, buttonId: string, label: string): Promise<void> {
    const access = accessTo(this.services, at);
    const { components = [] } = await access.get(at.message);
    const changed = components.map((row) => relabelled(row, buttonId, label));
    if (changed.every((row, index) => row === components[index])) throw new PlatformError('gone');
    // What Discord sent is what it takes.
    const edit = (rows: Rows) =>
      access.edit(at.message, {
        body: { components: rows as NonNullable<MessageBody['components']>, allowed_mentions: { parse: [] } },
        files: [],
      });
    await edit(changed.map(withOwnFiles)).catch((error: unknown) => {
      if (refusalOf(error) !== 'refused') throw error;
      return edit(changed);
    });
  }

  /**
   * What an interaction’s token alone reaches can be edited only while that lives; an old message, only a few times. What can't
   * be read again is lost once it's replaced.
   */
  override replacesFiles(message: MessageAddress): boolean {
    const { gateway } = this.services;
    const unread = gateway.missingPermissions(channelIdOf(message), ['Read Message History']);
    return message.platformData === undefined && this.takesManyEdits(message) && unread.length === 0;
  }

  async edit(
    message: MessageAddress,
    content: Message,
    { optional = false, leavesClosed = optional, unsaidBy }: EditOptions = {},
  ): Promise<void> {
    if (message.message === '') throw new PlatformError('gone');
    const linked = this.services.registered.linked(content, message);
    const above = (await this.#headerOf(message)) ?? withSpeaker(undefined, content.persona);
    const header = withoutSpeaker(above, unsaidBy);
    const request = editRequest(withHeader(header, linked));
    try {
      await this.#edit(message, request, { leavesClosed, ...(optional && { urgency: 'optional' }) });
    } catch (error) {
      if (!(error instanceof NothingLeftOverError)) throw error;
    }
  }

  /** Where the messages of a growing answer break depends on the header above the first one. */
  override async messageLimits(at: MessageAddress): Promise<MessageLimits> {
    const remembered = await this.services.rememberedMessages.find(at.message);
    const maxLength = remembered?.pieceLength ?? maxLengthBelow(remembered?.header);
    return { maxLength, most: mostMessagesAt(at) };
  }

  /** Where it has to be a new message, an image that it was to replace stays. */
  async complete(
    message: MessageAddress,
    result: Message,
    key: string,
    replaces?: (announcement: MessageAddress) => Promise<void>,
  ): Promise<MessageAddress> {
    const content = withHeader(await this.#headerOf(message), result);
    // An earlier try may have removed the announcement.
    const isBelow = replaces && (await this.services.postedMessages.isStarted(channelIdOf(message), key));
    const complete = (limit: number) => this.#completeByEdit(message, content, limit);
    if (!isBelow && (await this.#poster.uploadWithin(message, complete))) return message;
    const { message: _, ...address } = message;
    const posted = await this.#poster.postAt(address, { message: withWhose(content), key });
    const files = replaces && (await undefinedIfRefused(this.attachments(message)));
    if (files?.length === 0) {
      await replaces?.(message);
      await undefinedIfRefused(this.remove(message));
    }
    return posted;
  }

  /** As a reply, which notifies; where that isn't allowed, with a link. By a token, below. */
  override async notify(message: MessageAddress, notice: Message, key: string): Promise<MessageAddress> {
    const { message: id, access: _, parts: __, ...address } = message;
    if (tokenOfAddress(message)) return this.#poster.postAt(address, { message: notice, key });
    const { postedMessages } = this.services;
    const channel = channelIdOf(message);
    const [text] = splitText(notice);
    const body = messageBody(text, [], notice.mentions);
    const posted = await asReplyTo(id, async (reply) => {
      const related = reply ?? { content: `${text} ${await this.linkTo(message)}` };
      return postedMessages.postOnce(channel, key, { body: { ...body, ...related } });
    });
    return { ...address, message: posted };
  }

  override async answerInterrupted(
    acknowledgement: Readonly<Record<string, string>>,
    notice: Message,
  ): Promise<Pick<MessageAddress, 'message' | 'platformData'>> {
    const tokens = acknowledgedBy(acknowledgement);
    const { token, id } = await answerInterrupted(this.services, this.#poster, tokens, notice);
    return { message: id, platformData: serializeToken(token) };
  }

  async remove(message: MessageAddress): Promise<void> {
    const remove = () => accessTo(this.services, message).remove(message.message);
    await this.#inOpenThread(message, remove, { closesAgain: true });
    await this.closeThreadOf(message);
  }

  override acknowledged({ acknowledgement = {}, address }: AnsweredJob): MessageAddress | undefined {
    const [token] = acknowledgedBy(acknowledgement);
    return token && { ...address, message: '@original', platformData: serializeToken(token) };
  }

  override readonly provesPresses = true;

  /** The press's own token knows its message by this name. */
  override isReachedByPress(message: MessageAddress): boolean {
    return message.message === '@original' && tokenOfAddress(message) !== undefined;
  }

  override underOwnId(pressed: MessageAddress): MessageAddress {
    const { ownId, message } = pressed.access ?? {};
    if (ownId === undefined || message !== pressed.message) return pressed;
    return { ...pressed, message: ownId, access: { message: ownId, id: pressed.message } };
  }

  override async forgetAbove({ message, parts = [] }: MessageAddress): Promise<void> {
    for (const id of [message, ...parts]) await this.services.rememberedMessages.forgetHeader(id);
  }

  override async linkTo(message: MessageAddress): Promise<string> {
    const server = isDirectMessage(message) ? undefined : message.workspace;
    return linkToMessage(server, channelIdOf(message), message.message);
  }

  async maxFileBytes(address: Address, kind: OutgoingFile['kind']): Promise<number> {
    return kind === 'image' ? maxImageBytes : this.#poster.uploadLimit(address);
  }

  async attachments(message: MessageAddress): Promise<readonly IncomingFile[]> {
    const shown = await accessTo(this.services, message).get(message.message);
    return shownFiles(shown, !tokenOfAddress(message));
  }

  async readFile(file: IncomingFile, maxBytes: number): Promise<Uint8Array> {
    return this.services.download(await this.#currentUrl(file), maxBytes);
  }

  /** URLs expire after a day; reading the message again returns current ones, where that's allowed. */
  async #currentUrl({ source, url = source }: IncomingFile): Promise<string> {
    const [, channel, message, id] = /^(\d+)\/(\d+)\/(\d+)$/.exec(source) ?? [];
    if (!channel || !message) return source;
    const read = await this.services.api.message(channel, message).catch((error: unknown) => {
      if (refusalOf(error) !== 'no-permission') throw error;
    });
    if (!read) return url;
    const shown = filesShownIn(read);
    const attachment = shown.find((candidate) => candidate.id === id);
    if (!attachment) throw new PlatformError('gone');
    return attachment.url;
  }

  /** The line above a message's text, if any. */
  async #headerOf({ message }: MessageAddress): Promise<string | undefined> {
    return (await this.services.rememberedMessages.find(message))?.header;
  }

  /** False if the result takes more than one message, or the message can't be edited to it. */
  async #completeByEdit(message: MessageAddress, content: Message, limit: number): Promise<boolean> {
    const { media, capabilities } = this.services;
    const seen = await capabilities.find(message.workspace, discordFeatures.galleryByEdit);
    const [only, ...more] = await messageRequests(content, limit, media, { withGallery: seen !== 'refused' });
    if (more.length > 0) return false;
    try {
      const edited = await this.#edit(message, only);
      if (only.ungrouped && edited.ungrouped === undefined)
        await capabilities.note(message.workspace, discordFeatures.galleryByEdit, 'refused');
      return true;
    } catch (error) {
      if (takesNoMoreEdits(error) || refusalOf(error) === 'refused') return false;
      // By a token a thread takes new messages all the same.
      if (tokenOfAddress(message) && isThreadClosed(error)) return false;
      throw this.#poster.withMissingPermissions(error, message, content);
    }
  }

  /** Edits, in the form that is returned; an archived thread stays as it is if it's to. */
  async #edit(
    message: MessageAddress,
    request: MessageRequest,
    { leavesClosed = false, ...pace }: Pace & Pick<EditOptions, 'leavesClosed'> = {},
  ): Promise<MessageRequest> {
    const access = accessTo(this.services, message);
    const edit = () =>
      sendPlainerIfRefused(request, async (form) => {
        await access.edit(message.message, { ...form, pace });
        return form;
      });
    return leavesClosed ? edit() : this.#inOpenThread(message, edit);
  }

  /** Does something to a message; if its thread is archived and refuses that, once it's unarchived. */
  async #inOpenThread<T>(
    message: MessageAddress,
    work: () => Promise<T>,
    { closesAgain = false } = {},
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (errorCode(error) !== RESTJSONErrorCodes.InvalidActionOnArchivedThread) throw error;
      const { api } = this.services;
      const thread = channelIdOf(message);
      await api.editThread(thread, { archived: false });
      const done = await work();
      // Somebody else's thread is closed by those who manage it, or by Discord in time.
      if (closesAgain) await undefinedIfRefused(api.editThread(thread, { archived: true }));
      return done;
    }
  }
}

type Rows = NonNullable<APIMessage['components']>;

/**
 * A gallery comes with the addresses of its files, which expire. Sent back by name, it still shows the message's own
 * files; where Discord doesn't find those (uncertain), the addresses have to do.
 */
function withOwnFiles(component: Rows[number]): Rows[number] {
  if (component.type !== ComponentType.MediaGallery) return component;
  const items = component.items.map((item) => {
    const { attachment_id: id, url } = item.media;
    return id === undefined ? item : { ...item, media: { url: `attachment://${fileNameIn(url)}` } };
  });
  return { ...component, items };
}

function relabelled(row: Rows[number], buttonId: string, label: string): Rows[number] {
  if (row.type !== ComponentType.ActionRow) return row;
  const isIt = (button: object) => 'custom_id' in button && button.custom_id === buttonId;
  if (!row.components.some(isIt)) return row;
  const components = row.components.map((button) => (isIt(button) ? { ...button, label } : button));
  return { ...row, components } as Rows[number];
}
