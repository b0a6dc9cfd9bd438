import { type APIMessage, MessageFlags, type RawFile, RESTJSONErrorCodes } from 'discord.js';
import { isLocal } from '../../../lib/local-faults.ts';
import { type Address, type Locale, type MessageAddress, PlatformError } from '../../../port/index.ts';
import { errorCode, isExpired, throwExpiredIfUnconfirmed, withMissingPermissions } from '../api/errors.ts';
import { accessAsBot, accessByToken, type PostingDependencies } from '../api/message-access.ts';
import { type MessageBody, maxMessageLength, prependHeader } from '../api/message-body.ts';
import { missingPermissions, type PermissionName } from '../api/permissions.ts';
import { bucketKey } from '../api/rate-limits.ts';
import { retryWithLowerLimits } from '../media/upload-limits.ts';
import { maxRequestBytes } from '../media/uploads.ts';
import { undefinedIfRefused } from '../post/find-message.ts';
import { discordWords } from '../words.ts';
import { AnswerMessages } from './answer-messages.ts';
import { channelIdOf, type InteractionToken, serializeToken } from './interaction-token.ts';
import type { MessageName, ReplyTarget } from './reply-target.ts';

/** A token lives for 15 minutes; what is under way then has to be in other hands before. */
export const tokenLifetime = 14 * 60_000;

/** An acknowledged interaction. */
export interface AcknowledgedInteraction {
  readonly id: string;
  readonly token: string;
  /** When it came, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Until when the token is used, by the steady clock: a jump of the machine's would make it look dead. */
  readonly aliveUntil: number;
  readonly address: Address;
  readonly userId: string;
  readonly locale: Locale;
  /** Whether the bot is a member that may write in the place, so that its own token reaches it. */
  readonly botIsMember: boolean;
  /** Whether only the one who asked sees the answer. */
  readonly hidden: boolean;
  readonly uploadLimit: number;
  /** What the place allows the app. */
  readonly permissions: bigint;
  /** Whether a loading message stands there that the first answer takes the place of. */
  readonly deferred: boolean;
}

/** The place of an interaction's answer: by its token while that lives, then by the bot where it is a member. */
export class InteractionReplyTarget implements ReplyTarget {
  readonly key: string;
  readonly #dependencies: PostingDependencies;
  readonly #from: AcknowledgedInteraction;
  readonly #token: InteractionToken;
  readonly #posts: AnswerMessages;
  readonly #byToken = new Map<string, string>();
  #pending: boolean;
  /** Whether nobody knows if the first answer has taken the place of the loading message. */
  #mayHaveSettled = false;
  /** The direct messages in which a hidden answer goes on. */
  #direct: string | undefined;
  /** The newest message of the answer. */
  #last = '';

  constructor(dependencies: PostingDependencies, from: AcknowledgedInteraction) {
    this.#dependencies = dependencies;
    this.#from = from;
    this.#pending = from.deferred;
    this.key = from.id;
    this.#posts = new AnswerMessages(dependencies, from.id);
    this.#token = interactionToken(from);
  }

  /** Whether the deferral still waits for its answer. */
  get pending(): boolean {
    return this.#pending;
  }

  uploadWithin<T>(work: (limit: number) => Promise<T>): Promise<T> {
    return retryWithLowerLimits(Math.min(this.#from.uploadLimit, maxRequestBytes), work);
  }

  get address(): Address {
    const { address } = this.#from;
    return this.#reachable ? address : { ...address, platformData: serializeToken(this.#token) };
  }

  get voiceAddress(): Address | undefined {
    const { address, permissions } = this.#from;
    // What Discord says of permissions in direct messages leaves voice messages out, though they are possible.
    const direct = address.workspace === address.channel;
    const allowed = direct || missingPermissions(permissions, ['Send Voice Messages']).length === 0;
    return this.#reachable && allowed ? address : undefined;
  }

  get closesAt(): number | undefined {
    return this.#reachable ? undefined : this.#token.until;
  }

  bucket(kind: 'edit' | 'post'): string {
    const { token } = this.#token;
    const settles = kind === 'post' && this.#pending;
    const byToken = kind === 'edit' ? this.#byToken.has(this.#last) : !this.#reachable;
    if (this.#alive && settles) return bucketKey('edit', token);
    return bucketKey(kind, this.#alive && byToken ? token : channelIdOf(this.#from.address));
  }

  async write(name: MessageName, body: MessageBody, files: readonly RawFile[]): Promise<MessageAddress> {
    const byToken = async () => {
      const settled = this.#pending && this.#alive ? await this.#settle(body, files) : undefined;
      return settled ?? (await this.#further(name, body, files));
    };
    try {
      return this.#from.hidden ? await this.#orDirectly(name, body, files, byToken) : await byToken();
    } catch (error) {
      throw withMissingPermissions(error, () => this.#missing(files.length > 0));
    }
  }

  async edit(at: MessageAddress, body: MessageBody, files: readonly RawFile[]): Promise<APIMessage> {
    const { message } = at;
    const name = this.#byToken.get(message);
    if (at.channel === this.#direct && name === undefined)
      return accessAsBot(this.#dependencies, this.#direct).edit(message, body, files);
    if (name !== undefined && (this.#alive || !this.#reachable)) {
      return this.#byItsToken.edit(name, body, files);
    }
    return this.#bot.edit(message, body, files);
  }

  /**
   * A follow-up would settle a deferral for all to see, so one that still waits is taken away first. Discord once took
   * no follow-up after that (10008, discord-api-docs#2739): then it comes directly. So does what may not have arrived and
   * can't be sent again: nobody reads it twice but the one it's for.
   */
  async whisper(body: MessageBody, files: readonly RawFile[]): Promise<void> {
    const name = `whisper ${body.content ?? ''}`;
    await this.#orDirectly(name, body, files, async () => {
      if (!this.#alive) throw new PlatformError('expired');
      await this.discard();
      const hidden = { ...body, flags: (body.flags ?? 0) | MessageFlags.Ephemeral };
      return this.#at(await this.#followUp(name, hidden, files).catch(throwExpiredIfUnconfirmed));
    });
  }

  /**
   * What one person alone may see, in a direct message where Discord doesn't know the token (any more).
   * @throws {PlatformError} `expired` where the person takes no direct messages either.
   */
  async #orDirectly(
    name: MessageName,
    body: MessageBody,
    files: readonly RawFile[],
    byToken: () => Promise<MessageAddress>,
  ): Promise<MessageAddress> {
    if (this.#direct !== undefined) return this.#directly(this.#direct, name, body, files);
    try {
      return await byToken();
    } catch (error) {
      if (!isExpired(error) && errorCode(error) !== RESTJSONErrorCodes.UnknownMessage) throw error;
      this.#pending = false;
      try {
        const direct = await this.#directChannel();
        const above = discordWords(this.#from.locale).fromElsewhere;
        const content = prependHeader(above, body.content);
        const fits = content.length <= maxMessageLength;
        const written = await this.#directly(direct, name, fits ? { ...body, content } : body, files);
        this.#direct = direct;
        return written;
      } catch (second) {
        const isAway = second instanceof PlatformError && second.kind === 'unreachable';
        throw isAway ? second : error;
      }
    }
  }

  /** On record, so that a late delivery goes on there; where this machine can't note it, people need not wait for that. */
  async #directChannel(): Promise<string> {
    const { api, directMessages: directs } = this.#dependencies;
    const { userId } = this.#from;
    try {
      return await directs.open(userId);
    } catch (error) {
      if (!isLocal(error)) throw error;
      return api.directChannel(userId);
    }
  }

  async #directly(
    direct: string,
    name: MessageName,
    body: MessageBody,
    files: readonly RawFile[],
  ): Promise<MessageAddress> {
    const inDirect = typeof name === 'string' ? name : { ...name, key: name.directKey };
    const message = await this.#posts.post(direct, inDirect, body, files);
    return { platform: 'discord', workspace: direct, channel: direct, message };
  }

  /** Takes the loading message away where nothing has taken its place. */
  async discard(): Promise<void> {
    if (!this.#pending) return;
    this.#pending = false;
    if (this.#mayHaveSettled) {
      const original = await undefinedIfRefused(this.#byItsToken.get('@original'));
      if (original && !isLoading(original)) return;
    }
    await this.#byItsToken.remove('@original');
  }

  get #alive(): boolean {
    return this.#dependencies.clock.steady() < this.#from.aliveUntil;
  }

  get #byItsToken() {
    const until = this.#alive ? Number.POSITIVE_INFINITY : 0;
    return accessByToken(this.#dependencies, { ...this.#token, until });
  }

  get #reachable(): boolean {
    return this.#from.botIsMember && !this.#from.hidden;
  }

  get #bot() {
    return accessAsBot(this.#dependencies, channelIdOf(this.#from.address));
  }

  /**
   * The first answer in the place of the loading message; undefined where somebody deleted that, or where Discord
   * doesn't know the token before its time (discord-api-docs#6851) and the bot can write a message of its own.
   */
  async #settle(body: MessageBody, files: readonly RawFile[]): Promise<MessageAddress | undefined> {
    const before = this.#mayHaveSettled;
    this.#mayHaveSettled = true;
    try {
      const { id } = await this.#byItsToken.edit('@original', body, files);
      this.#pending = false;
      return this.#known(id, '@original');
    } catch (error) {
      if (error instanceof PlatformError && error.kind !== 'unreachable') this.#mayHaveSettled = before;
      const isUnknown = this.#reachable && error instanceof PlatformError && error.kind === 'expired';
      if (errorCode(error) !== RESTJSONErrorCodes.UnknownMessage && !isUnknown) throw error;
      this.#pending = false;
      return undefined;
    }
  }

  /** By the bot, whose requests can be repeated safely; by the token where only that may write. */
  async #further(name: MessageName, body: MessageBody, files: readonly RawFile[]): Promise<MessageAddress> {
    if (!this.#reachable) return this.#known(await this.#followUp(name, body, files));
    try {
      const channel = channelIdOf(this.#from.address);
      return this.#at(await this.#posts.post(channel, name, body, files));
    } catch (error) {
      if (!this.#alive || !(error instanceof PlatformError) || !mayHelpByToken.has(error.kind)) throw error;
      return this.#known(await this.#followUp(name, body, files));
    }
  }

  async #followUp(name: MessageName, body: MessageBody, files: readonly RawFile[]): Promise<string> {
    if (!this.#alive) throw new PlatformError('expired');
    const flags = (body.flags ?? 0) | (this.#from.hidden ? MessageFlags.Ephemeral : 0);
    const { token } = this.#token;
    const key = typeof name === 'string' ? name : name.key;
    return this.#dependencies.followUps.post({ token, key, body: { ...body, flags }, files });
  }

  #missing(files: boolean): PermissionName[] {
    const send = this.#from.address.thread === undefined ? 'Send Messages' : 'Send Messages in Threads';
    const needed = this.#pending ? [] : (['View Channels', send] as const);
    return missingPermissions(this.#from.permissions, [
      ...needed,
      ...(files ? (['Attach Files'] as const) : []),
    ]);
  }

  #known(id: string, name = id): MessageAddress {
    this.#byToken.set(id, name);
    return this.#at(id);
  }

  #at(message: string): MessageAddress {
    this.#last = message;
    return { ...this.address, message };
  }
}

function isLoading({ flags }: APIMessage): boolean {
  return ((flags ?? 0) & MessageFlags.Loading) !== 0;
}

const mayHelpByToken = new Set(['no-permission', 'not-a-member']);

/** What is left of an interaction when its process is gone. */
export function interactionToken(
  from: Omit<AcknowledgedInteraction, 'permissions' | 'deferred' | 'aliveUntil'>,
): InteractionToken {
  return {
    token: from.token,
    until: from.receivedAt + tokenLifetime,
    user: from.userId,
    locale: from.locale,
    uploadLimit: from.uploadLimit,
    hidden: from.hidden,
  };
}
