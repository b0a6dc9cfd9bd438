import type { RawFile } from '@discordjs/rest';
import type { APIMessage } from 'discord-api-types/v10';
import type { Address, MessageAddress } from '../../../port/index.ts';
import { channelIdOf } from '../api/address.ts';
import type { MessageBody } from '../api/message-body.ts';
import { channelBucket, type Pace } from '../api/rate-limits.ts';
import { accessAsBot } from '../post/message-access.ts';
import type { DiscordServices } from '../post/services.ts';
import { AnswerMessages } from './answer-messages.ts';
import type { MessageName, ReplyTarget } from './reply-target.ts';

/** Writes an answer for everyone as the bot: into a message that's there, and goes on below it. */
export class RewriteTarget implements ReplyTarget {
  readonly key: string;
  readonly closesAt = undefined;
  readonly voiceAddress = undefined;
  readonly answeredMessage = async () => undefined;
  readonly address: Address;
  readonly #services: DiscordServices;
  readonly #press: ReplyTarget;
  readonly #messages: AnswerMessages;
  /** The message, until something is written into it. */
  #free: MessageAddress | undefined;

  /** `isBelow`: the message takes no edits, so everything is written below it. */
  constructor(services: DiscordServices, press: ReplyTarget, message: MessageAddress, isBelow: boolean) {
    const { message: _, ...address } = message;
    this.address = address;
    this.key = press.key;
    this.#services = services;
    this.#press = press;
    this.#messages = new AnswerMessages(services, press.key);
    this.#free = isBelow ? undefined : message;
  }

  async write(
    name: MessageName,
    body: MessageBody,
    files: readonly RawFile[],
    pace?: Pace,
  ): Promise<MessageAddress> {
    const into = this.#free;
    if (into) {
      await this.edit(into, body, files, pace);
      this.#free = undefined;
      return into;
    }
    return { ...this.address, message: await this.#messages.post(this.#channel, name, body, files, pace) };
  }

  edit(
    { message }: MessageAddress,
    body: MessageBody,
    files: readonly RawFile[],
    pace?: Pace,
  ): Promise<APIMessage> {
    return accessAsBot(this.#services, this.#channel).edit(message, body, files, pace);
  }

  whisper(body: MessageBody, files: readonly RawFile[]): Promise<void> {
    return this.#press.whisper(body, files);
  }

  uploadWithin<T>(work: (limit: number) => Promise<T>): Promise<T> {
    return this.#press.uploadWithin(work);
  }

  bucket(kind: 'edit' | 'post'): string {
    return channelBucket(this.#free ? 'edit' : kind, this.#channel);
  }

  get #channel(): string {
    return channelIdOf(this.address);
  }
}
