import type { APIMessage, RawFile } from 'discord.js';
import type { Address, MessageAddress } from '../../port/index.ts';
import { nonceOf } from './nonce.ts';
import { bucketKey } from './pacing.ts';
import type { MessageBody } from './payload.ts';
import { botRoute, type RouteParts } from './routes.ts';
import type { Seat } from './seat.ts';
import { channelOf } from './ticket.ts';

/** A message somebody wrote to the bot. */
export interface Written {
  readonly id: string;
  readonly userId: string;
  readonly address: Address;
  readonly uploadLimit: number;
}

/** The place of an answer to a message: the first stands as a reply to it. */
export class MessageSeat implements Seat {
  readonly key: string;
  readonly closesAt = undefined;
  readonly #parts: RouteParts;
  readonly #from: Written;
  #answered = () => {};
  #written = false;

  constructor(parts: RouteParts, from: Written) {
    this.#parts = parts;
    this.#from = from;
    this.key = from.id;
  }

  /** Calls `answered` when the first message stands there. */
  whenAnswered(answered: () => void): void {
    this.#answered = answered;
  }

  get uploadLimit(): number {
    return this.#from.uploadLimit;
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
    const reference = { message_id: this.#from.id, fail_if_not_exists: false } as const;
    const first = this.#written ? body : { ...body, message_reference: reference };
    const { id } = await this.#parts.api.createMessage(this.#channel, first, files, nonce);
    this.#written = true;
    this.#answered();
    return { ...this.#from.address, message: id };
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
