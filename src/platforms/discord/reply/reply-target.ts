import type { APIMessage, RawFile } from 'discord.js';
import type { Address, MessageAddress } from '../../../port/index.ts';
import type { MessageBody } from '../api/message-body.ts';

/** By what a message of an answer is known where it's sent again. */
export type MessageName =
  /** Of a growing answer: its place in that. */
  | string
  /** Finished: the keys by which it's posted in its place and directly, now and by a late delivery that goes on with it. */
  | { readonly key: string; readonly directKey: string };

/** Where one answer is given: it knows how its messages come to stand there, one after the other. */
export interface ReplyTarget {
  /**
   * Writes the answer's next message; the first settles what the person is waiting for. `name` is the same where
   * the same message is sent again, so that it stands there once.
   */
  write(name: MessageName, body: MessageBody, files: readonly RawFile[]): Promise<MessageAddress>;
  /** Changes a message of the answer. */
  edit(message: MessageAddress, body: MessageBody, files: readonly RawFile[]): Promise<APIMessage>;
  /** Tells the person alone. */
  whisper(body: MessageBody, files: readonly RawFile[]): Promise<void>;
  /**
   * Does work that writes files, told how many bytes one may have; does it once more where Discord turns out to take
   * less, so it goes on where it stopped.
   */
  uploadWithin<T>(work: (limit: number) => Promise<T>): Promise<T>;
  /** Where its messages are, as an address of the port. */
  readonly address: Address;
  /** Where the bot can post as itself for all to see, as a voice message has to be; undefined where it can't. */
  readonly voiceAddress: Address | undefined;
  /** When nothing more can be written here, in milliseconds since the epoch; undefined where that is never. */
  readonly closesAt: number | undefined;
  /** The rate bucket that the next edit, or the next new message, counts in. */
  bucket(kind: 'edit' | 'post'): string;
  /** What makes the answer's requests recognisable when they are sent twice. */
  readonly key: string;
}
