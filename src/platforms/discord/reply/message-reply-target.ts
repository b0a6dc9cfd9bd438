import { type APIMessage, type RawFile, RESTJSONErrorCodes } from 'discord.js';
import type { Address, MessageAddress } from '../../../port/index.ts';
import { errorCode } from '../api/errors.ts';
import { accessAsBot, type PostingDependencies } from '../api/message-access.ts';
import type { MessageBody } from '../api/message-body.ts';
import { nonceOf } from '../api/nonce.ts';
import { bucketKey } from '../api/rate-limits.ts';
import type { UploadLimits } from '../media/upload-limits.ts';
import { maxRequestBytes } from '../media/uploads.ts';
import { AnswerMessages } from './answer-messages.ts';
import { channelIdOf } from './interaction-token.ts';
import type { MessageName, ReplyTarget } from './reply-target.ts';

/** A message somebody wrote to the bot. */
export interface IncomingMessage {
  readonly id: string;
  readonly userId: string;
  readonly address: Address;
  readonly uploads: UploadLimits;
  /** False where the bot is known to lack what a reply needs: Read Message History. */
  readonly mayReply: boolean;
}

/** The place of an answer to a message: the first stands as a reply to it, where Discord lets it. */
export class MessageReplyTarget implements ReplyTarget {
  readonly key: string;
  readonly closesAt = undefined;
  readonly #dependencies: PostingDependencies;
  readonly #from: IncomingMessage;
  readonly #posts: AnswerMessages;
  #answered = () => {};
  /** Whether the next message is to stand as a reply. */
  #replies: boolean;

  constructor(dependencies: PostingDependencies, from: IncomingMessage) {
    this.#dependencies = dependencies;
    this.#from = from;
    this.#replies = from.mayReply;
    this.key = from.id;
    this.#posts = new AnswerMessages(dependencies, from.id);
  }

  /** Calls `answered` when the first message stands there. */
  whenAnswered(answered: () => void): void {
    this.#answered = answered;
  }

  uploadWithin<T>(work: (limit: number) => Promise<T>): Promise<T> {
    const { uploads, address } = this.#from;
    const limited = async () => work(Math.min(await uploads.limitAt(address), maxRequestBytes));
    return uploads.retryWithLowerLimits(address, limited);
  }

  get address(): Address {
    return this.#from.address;
  }

  get voiceAddress(): Address {
    return this.#from.address;
  }

  bucket(kind: 'edit' | 'post'): string {
    return bucketKey(kind, this.#channel);
  }

  get #channel(): string {
    return channelIdOf(this.#from.address);
  }

  async write(name: MessageName, body: MessageBody, files: readonly RawFile[]): Promise<MessageAddress> {
    const id = await this.#create(name, body, files);
    this.#replies = false;
    this.#answered();
    return { ...this.#from.address, message: id };
  }

  /** As a reply first; where the permission for that is missing, the same without (160002: nothing was posted). */
  async #create(name: MessageName, body: MessageBody, files: readonly RawFile[]): Promise<string> {
    if (!this.#replies) return this.#posts.post(this.#channel, name, body, files);
    const reference = { message_id: this.#from.id, fail_if_not_exists: false } as const;
    try {
      return await this.#posts.post(this.#channel, name, { ...body, message_reference: reference }, files);
    } catch (error) {
      if (errorCode(error) !== RESTJSONErrorCodes.CannotReplyWithoutPermissionToReadMessageHistory)
        throw error;
      return this.#posts.post(this.#channel, name, body, files);
    }
  }

  edit({ message }: MessageAddress, body: MessageBody, files: readonly RawFile[]): Promise<APIMessage> {
    return accessAsBot(this.#dependencies, this.#channel).edit(message, body, files);
  }

  /** Nothing in a channel can be seen by one person alone without an interaction, so it goes as a direct message. */
  async whisper(body: MessageBody, files: readonly RawFile[]): Promise<void> {
    const { api } = this.#dependencies;
    const direct = await api.directChannel(this.#from.userId);
    await api.createMessage(direct, body, files, nonceOf(this.key, 'whisper', body.content ?? ''));
  }
}
