import type { RawFile } from '@discordjs/rest';
import { type APIMessage, RESTJSONErrorCodes } from 'discord-api-types/v10';
import { isLocal } from '../../../lib/local-faults.ts';
import {
  type Address,
  type LoadingRecords,
  type Locale,
  type MessageAddress,
  PlatformError,
  type PlatformErrorKind,
} from '../../../port/index.ts';
import { errorCode, throwExpiredIfUnconfirmed, withMissingPermissions } from '../api/errors.ts';
import {
  channelIdOf,
  type InteractionToken,
  interactionToken,
  isDirectMessage,
  maxMessageLength,
  serializeToken,
} from '../api/messages.ts';
import { channelBucket, tokenBucket } from '../api/rate-limits.ts';
import { retryWithLowerLimits } from '../media/upload-limits.ts';
import {
  accessAsBot,
  accessByToken,
  LoadingMessage,
  type MessageAccess,
  type MessageRequest,
  preferToken,
  withToken,
} from '../post/message-access.ts';
import { prependHeader } from '../post/message-header.ts';
import type { DiscordServices } from '../post/services.ts';
import { missingPermissions, type PermissionName } from '../servers/server.ts';
import { discordWords } from '../words.ts';
import { AnswerMessages, type MessageName, type ReplyTarget, RewriteTarget } from './reply-target.ts';

/** An acknowledged interaction. */
export interface AcknowledgedInteraction {
  readonly id: string;
  readonly token: string;
  /** In milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The end of the token's use by the steady clock, which a change of the machine's clock doesn't affect. */
  readonly aliveUntil: number;
  readonly address: Address;
  readonly userId: string;
  readonly locale: Locale;
  /** Whether the bot is a member and can post in the channel as itself. */
  readonly botCanPost: boolean;
  /** Whether only the requester sees the answer. */
  readonly hidden: boolean;
  /** Bytes a file may have. */
  readonly uploadLimit: number;
  /** The bot's permissions in the channel. */
  readonly permissions: bigint;
  /** Whether a loading message is shown, which the first answer replaces. */
  readonly deferred: boolean;
  /** Its id, where everybody sees it and it's known. */
  readonly loading?: string;
}

/** Refusals of the bot's own messages after which a follow-up by the token may still work. */
const worthTryingByToken: readonly string[] = ['no-permission', 'not-a-member'];

/** Answers an interaction: by its token while that is valid, after that as the bot, where it is a member. */
export class InteractionReplyTarget implements ReplyTarget {
  readonly key: string;
  readonly #services: DiscordServices;
  readonly #interaction: AcknowledgedInteraction;
  readonly #token: InteractionToken;
  /** Most answers need none: all they have to say is in the place of the loading message. */
  #botsMessages: AnswerMessages | undefined;
  readonly #loading: LoadingMessage;
  readonly #fallback: DirectMessageFallback;
  /** Messages that were written by the token: their id → the id the token knows them by. */
  readonly #byToken = new Map<string, string>();
  /** The newest message of the answer. */
  #last = '';
  /** Discord doesn't know the token, and the bot goes on as itself. */
  #isTokenLost = false;

  constructor(services: DiscordServices, interaction: AcknowledgedInteraction) {
    this.#services = services;
    this.#interaction = interaction;
    this.key = interaction.id;
    this.#token = interactionToken(interaction);
    this.#loading = new LoadingMessage(() => this.#tokenAccess, {
      pending: interaction.deferred,
      isPublic: !interaction.hidden,
    });
    this.#fallback = new DirectMessageFallback(services, () => this.#messages, interaction);
  }

  get #messages(): AnswerMessages {
    return (this.#botsMessages ??= new AnswerMessages(this.#services, this.#interaction.id));
  }

  /** Whether the loading message still waits for the answer. */
  get pending(): boolean {
    return this.#loading.pending;
  }

  async recordLoading(records: LoadingRecords): Promise<void> {
    const { loading } = this.#interaction;
    if (loading !== undefined) await this.#loading.record(this.#reachable(loading, '@original'), records);
  }

  uploadWithin<T>(work: (limit: number) => Promise<T>): Promise<T> {
    return retryWithLowerLimits(this.#interaction.uploadLimit, work);
  }

  get address(): Address {
    const { address, hidden, userId } = this.#interaction;
    if (this.#botCanAnswer) return address;
    return {
      ...address,
      ...(hidden && { onlyFor: userId }),
      platformData: serializeToken(this.#token),
    };
  }

  get voiceAddress(): Address | undefined {
    const { address, permissions } = this.#interaction;
    // In direct messages the permissions leave out voice messages, although they are possible.
    const isAllowed =
      isDirectMessage(address) || missingPermissions(permissions, ['Send Voice Messages']).length === 0;
    return this.#botCanAnswer && isAllowed ? address : undefined;
  }

  /** The command's own answer, which stands there from its beginning. */
  answeredMessage(): Promise<string | undefined> {
    return this.#loading.id();
  }

  get closesAt(): number | undefined {
    return this.#botCanAnswer ? undefined : this.#token.until;
  }

  get hidden(): boolean {
    return this.#interaction.hidden;
  }

  bucket(kind: 'edit' | 'post'): string {
    // The first answer is an edit of the loading message.
    const isByToken =
      kind === 'edit' ? this.#byToken.has(this.#last) : this.#loading.pending || !this.#botCanAnswer;
    return this.#isTokenAlive && isByToken
      ? tokenBucket(this.#token.token)
      : channelBucket(kind, channelIdOf(this.#interaction.address));
  }

  async write(name: MessageName, request: MessageRequest): Promise<MessageAddress> {
    const write = async () =>
      (await this.#replaceLoading(request)) ?? (await this.#writeFurther(name, request));
    try {
      return this.#interaction.hidden ? await this.#orDirectly(name, request, write) : await write();
    } catch (error) {
      throw withMissingPermissions(error, () => this.#missingPermissions(request.files.length > 0));
    }
  }

  edit(at: MessageAddress, request: MessageRequest): Promise<APIMessage> {
    return this.#accessTo(at).edit(at.message, request);
  }

  #accessTo({ message, channel }: MessageAddress): MessageAccess {
    const isDirect = channel === this.#fallback.channel;
    const asBot = accessAsBot(this.#services, isDirect ? channel : channelIdOf(this.#interaction.address));
    const tokenId = this.#byToken.get(message);
    if (tokenId === undefined) return asBot;
    const onLost = () => {
      this.#isTokenLost = true;
    };
    return preferToken(this.#tokenAccess, tokenId, this.#botCanAnswer ? asBot : undefined, onLost);
  }

  /**
   * It takes the place of a loading message that its one reader sees; no death comes in between. A follow-up would replace one
   * that everyone sees, so that is deleted first. Discord once accepted no follow-up after that (10008, discord-api-docs#2739):
   * then it comes as a direct message. So does one that may not have arrived and can't be sent again: reading it twice does its
   * one reader no harm.
   */
  async whisper(request: MessageRequest): Promise<void> {
    const name = `whisper ${request.body.content ?? ''}`;
    await this.#orDirectly(name, request, async () => {
      if (!this.#isTokenAlive) throw new PlatformError('expired');
      const replaced = this.hidden ? await this.#replaceLoading(request) : undefined;
      if (replaced) return replaced;
      await this.#loading.discard('whisper');
      return this.#written(await this.#followUp(name, request, true).catch(throwExpiredIfUnconfirmed));
    });
  }

  rewriting(message: MessageAddress, isBelow: boolean): ReplyTarget {
    return new RewriteTarget(this.#services, this, message, isBelow);
  }

  /** Deletes the loading message, unless an answer has replaced it. */
  discard(): Promise<void> {
    return this.#loading.discard();
  }

  #orDirectly(
    name: MessageName,
    request: MessageRequest,
    byToken: () => Promise<MessageAddress>,
  ): Promise<MessageAddress> {
    return this.#fallback.write(name, request, byToken, () => this.#loading.abandon());
  }

  async #replaceLoading(request: MessageRequest): Promise<MessageAddress | undefined> {
    if (!this.#isTokenAlive) return undefined;
    const id = await this.#loading.replace(request, this.#botCanAnswer);
    return id === undefined ? undefined : this.#writtenByToken(id, '@original');
  }

  /** As the bot, whose requests can be repeated safely; by the token where only that can post. */
  async #writeFurther(name: MessageName, request: MessageRequest): Promise<MessageAddress> {
    if (!this.#botCanAnswer) return this.#writtenByToken(await this.#followUp(name, request));
    try {
      const channel = channelIdOf(this.#interaction.address);
      return this.#written(await this.#messages.post(channel, name, request));
    } catch (error) {
      const mayWorkByToken = error instanceof PlatformError && worthTryingByToken.includes(error.kind);
      if (!this.#isTokenAlive || !mayWorkByToken) throw error;
      return this.#writtenByToken(await this.#followUp(name, request));
    }
  }

  async #followUp(
    name: MessageName,
    request: MessageRequest,
    hidden = this.#interaction.hidden,
  ): Promise<string> {
    if (!this.#isTokenAlive) throw new PlatformError('expired');
    const { token } = this.#token;
    const key = typeof name === 'string' ? name : name.key;
    return this.#services.followUps.post({ ...request, token, key, hidden });
  }

  get #isTokenAlive(): boolean {
    return !this.#isTokenLost && this.#services.clock.steady() < this.#interaction.aliveUntil;
  }

  get #tokenAccess(): MessageAccess {
    const until = this.#isTokenAlive ? Number.POSITIVE_INFINITY : 0;
    return accessByToken(this.#services, { ...this.#token, until });
  }

  /** Whether the bot can write the answer as itself: it can't write what only one person sees. */
  get #botCanAnswer(): boolean {
    return this.#interaction.botCanPost && !this.#interaction.hidden;
  }

  #missingPermissions(withFiles: boolean): PermissionName[] {
    const { address, permissions } = this.#interaction;
    const send = address.thread === undefined ? 'Send Messages' : 'Send Messages in Threads';
    return missingPermissions(permissions, [
      ...(this.#loading.pending ? [] : (['View Channels', send] as const)),
      ...(withFiles ? (['Attach Files'] as const) : []),
    ]);
  }

  #writtenByToken(id: string, tokenId = id): MessageAddress {
    this.#byToken.set(id, tokenId);
    this.#last = id;
    return this.#reachable(id, tokenId);
  }

  #written(message: string): MessageAddress {
    this.#last = message;
    return { ...this.address, message };
  }

  /** A message that the token knows as `tokenId`. */
  #reachable(message: string, tokenId: string): MessageAddress {
    const at = { ...this.address, message };
    return this.#botCanAnswer ? withToken(at, this.#token, tokenId) : at;
  }
}

/** Why a place accepts nothing from the bot. */
const closedKinds: readonly PlatformErrorKind[] = ['expired', 'no-permission', 'not-a-member'];

/**
 * Whether the place is closed. Without Attach Files it may refuse files and take the text (uncertain for answers to
 * interactions): the command then leaves them out or delivers them in another way.
 */
function isClosed(error: unknown, files: readonly RawFile[]): boolean {
  if (errorCode(error) === RESTJSONErrorCodes.UnknownMessage) return true;
  if (!(error instanceof PlatformError)) return false;
  return closedKinds.includes(error.kind) && (error.kind !== 'no-permission' || files.length === 0);
}

/** The person who is to read the messages. */
interface Recipient {
  readonly userId: string;
  readonly locale: Locale;
}

/**
 * Writes messages that only one person may see: by the interaction's token, or as direct messages if Discord doesn't
 * know the token (any more) or nothing can be written there. After the first direct message all others are direct messages too.
 */
class DirectMessageFallback {
  readonly #services: Pick<DiscordServices, 'api' | 'directMessages'>;
  readonly #messages: () => AnswerMessages;
  readonly #recipient: Recipient;
  #channel: string | undefined;

  constructor(
    services: Pick<DiscordServices, 'api' | 'directMessages'>,
    messages: () => AnswerMessages,
    recipient: Recipient,
  ) {
    this.#services = services;
    this.#messages = messages;
    this.#recipient = recipient;
  }

  /** The channel of the direct messages, once one was written. */
  get channel(): string | undefined {
    return this.#channel;
  }

  /**
   * Writes with `byToken`, or else directly; `onTokenLost` is called before the first direct message.
   * @throws {PlatformError} `expired` if the person doesn't accept direct messages either.
   */
  async write(
    name: MessageName,
    request: MessageRequest,
    byToken: () => Promise<MessageAddress>,
    onTokenLost: () => void,
  ): Promise<MessageAddress> {
    if (this.#channel !== undefined) return this.#writeDirectly(this.#channel, name, request);
    try {
      return await byToken();
    } catch (error) {
      if (!isClosed(error, request.files)) throw error;
      onTokenLost();
      try {
        return await this.#writeFirst(name, request);
      } catch (second) {
        const isUnreachable = second instanceof PlatformError && second.kind === 'unreachable';
        throw isUnreachable ? second : error;
      }
    }
  }

  /** The first one says why it comes as a direct message, if there is room. */
  async #writeFirst(name: MessageName, { body, files }: MessageRequest): Promise<MessageAddress> {
    const channel = await this.#openChannel();
    const content = prependHeader(discordWords(this.#recipient.locale).fromElsewhere, body.content ?? '');
    // A gallery has no content.
    const fits = body.content !== null && content.length <= maxMessageLength;
    const first = { body: fits ? { ...body, content } : body, files };
    const written = await this.#writeDirectly(channel, name, first);
    this.#channel = channel;
    return written;
  }

  /** Recorded, so that a late delivery continues there; a failure of this machine's storage doesn't stop the answer. */
  async #openChannel(): Promise<string> {
    const { api, directMessages } = this.#services;
    const { userId } = this.#recipient;
    try {
      return await directMessages.open(userId);
    } catch (error) {
      if (!isLocal(error)) throw error;
      return api.directChannel(userId);
    }
  }

  async #writeDirectly(
    channel: string,
    name: MessageName,
    { body, files }: MessageRequest,
  ): Promise<MessageAddress> {
    const directName = typeof name === 'string' ? name : { ...name, key: name.directKey };
    const message = await this.#messages().post(channel, directName, { body, files });
    return { platform: 'discord', workspace: channel, channel, message };
  }
}
