import type { RawFile } from '@discordjs/rest';
import type { APIMessage } from 'discord-api-types/v10';
import type { Address, MessageAddress } from '../../../port/index.ts';
import type { MessageBody } from '../api/message-body.ts';
import type { Pace } from '../api/rate-limits.ts';

/** Identifies a message of an answer, so that it's recognised if it's sent again. */
export type MessageName =
  /** A message of a growing answer. */
  | string
  /** A finished message: the keys it's posted under in its channel and directly, also by a late delivery of the same. */
  | { readonly key: string; readonly directKey: string };

/** Where one answer is written, one message after the other. */
export interface ReplyTarget {
  /**
   * Writes the answer's next message; the first one ends the loading state. `name` is the same if the same message is
   * sent again: it's then posted once.
   */
  write(
    name: MessageName,
    body: MessageBody,
    files: readonly RawFile[],
    pace?: Pace,
  ): Promise<MessageAddress>;
  /** Edits a message of the answer. */
  edit(
    message: MessageAddress,
    body: MessageBody,
    files: readonly RawFile[],
    pace?: Pace,
  ): Promise<APIMessage>;
  /** Writes a message that only the requester sees. */
  whisper(body: MessageBody, files: readonly RawFile[]): Promise<void>;
  /**
   * Does work that uploads files, with the bytes that one file may have. It's called again with a lower limit if
   * Discord turns out to accept less, so it has to continue where it stopped.
   */
  uploadWithin<T>(work: (limit: number) => Promise<T>): Promise<T>;
  /** Where its messages are. */
  readonly address: Address;
  /** Where the bot can post as itself for everyone to see, which a voice message needs; undefined if it can't. */
  readonly voiceAddress: Address | undefined;
  /** The id of the message that a voice message replies to, so that people see what it belongs to; undefined if unknown. */
  answeredMessage(): Promise<string | undefined>;
  /** When writing here ends, in milliseconds since the epoch; undefined if it doesn't. */
  readonly closesAt: number | undefined;
  /** Whether only the requester sees its messages; what can't be written here any more comes as a direct message. */
  readonly hidden?: boolean;
  /** The rate limit bucket that the next edit, or the next new message, counts in. */
  bucket(kind: 'edit' | 'post'): string;
  /** The same, but its first message is written into one that's there, or below it. Absent if it never is. */
  rewriting?(message: MessageAddress, isBelow: boolean): ReplyTarget;
  /** Identifies the answer, so that its requests are recognised if they are sent again. */
  readonly key: string;
}
