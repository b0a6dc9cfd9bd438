import { type APIMessage, type RawFile, RESTJSONErrorCodes } from 'discord.js';
import type { Address, MessageAddress } from '../../port/index.ts';
import { codeOf } from './errors.ts';
import { nonceOf } from './nonce.ts';
import { bucketKey } from './pacing.ts';
import type { MessageBody } from './payload.ts';
import { botRoute, type RouteParts } from './routes.ts';
import type { Seat } from './seat.ts';
import { channelOf } from './ticket.ts';
import type { UploadLimits } from './upload-limits.ts';
import { maxRequestBytes } from './uploads.ts';

/** A message somebody wrote to the bot. */
export interface Written {
  readonly id: string;
  readonly userId: string;
  readonly address: Address;
  readonly uploads: UploadLimits;
  /** False where the bot is known to lack what a reply needs: Read Message History. */
  readonly mayReply: boolean;
}

/** The place of an answer to a message: the first stands as a reply to it, where Discord lets it. */
export class MessageSeat implements Seat {
  readonly key: string;
  readonly closesAt = undefined;
  readonly #parts: RouteParts;
  readonly #from: Written;
  #answered = () => {};
  /** Whether the next message is to stand as a reply. */
  #replies: boolean;

  constructor(parts: RouteParts, from: Written) {
    this.#parts = parts;
    this.#from = from;
    this.#replies = from.mayReply;
    this.key = from.id;
  }

  /** Calls `answered` when the first message stands there. */
  whenAnswered(answered: () => void): void {
    this.#answered = answered;
  }

  uploading<T>(work: (limit: number) => Promise<T>): Promise<T> {
    const { uploads, address } = this.#from;
    const limited = async () => work(Math.min(await uploads.in(address), maxRequestBytes));
    return uploads.trying(address, limited);
  }

  get place(): Address {
    return this.#from.address;
  }

  get voicePlace(): Address {
    return this.#from.address;
  }

  bucket(kind: 'edit' | 'post'): string {
    return bucketKey(kind, this.#channel);
  }

  get #channel(): string {
    return channelOf(this.#from.address);
  }

  async write(name: string, body: MessageBody, files: readonly RawFile[]): Promise<MessageAddress> {
    const nonce = nonceOf(this.key, name);
    const { id } = await this.#create(body, files, nonce);
    this.#replies = false;
    this.#answered();
    return { ...this.#from.address, message: id };
  }

  /** As a reply first; where the permission for that is missing, the same without (160002: nothing was posted). */
  async #create(body: MessageBody, files: readonly RawFile[], nonce: string): Promise<APIMessage> {
    const { api } = this.#parts;
    if (!this.#replies) return api.createMessage(this.#channel, body, files, nonce);
    const reference = { message_id: this.#from.id, fail_if_not_exists: false } as const;
    try {
      return await api.createMessage(this.#channel, { ...body, message_reference: reference }, files, nonce);
    } catch (error) {
      if (codeOf(error) !== RESTJSONErrorCodes.CannotReplyWithoutPermissionToReadMessageHistory) throw error;
      return api.createMessage(this.#channel, body, files, nonce);
    }
  }

  edit({ message }: MessageAddress, body: MessageBody, files: readonly RawFile[]): Promise<APIMessage> {
    return botRoute(this.#parts, this.#channel).edit(message, body, files);
  }

  /** Nothing in a channel can be seen by one person alone without an interaction, so it goes as a direct message. */
  async whisper(body: MessageBody, files: readonly RawFile[]): Promise<void> {
    const { api } = this.#parts;
    const direct = await api.directChannel(this.#from.userId);
    await api.createMessage(direct, body, files, nonceOf(this.key, 'whisper', body.content ?? ''));
  }
}
