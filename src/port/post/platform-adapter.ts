import { createHash } from 'node:crypto';
import type { Address, MessageAddress, PlatformName } from '../address.ts';
import type { Job } from '../commands/command.ts';
import type { Message, OutgoingFile } from '../commands/message.ts';
import type { IncomingFile } from '../commands/option.ts';

/**
 * What a platform can do at an address at any time, after a restart too.
 *
 * ```ts
 * import type { Address, PlatformAdapter } from '../index.ts';
 *
 * export async function announce(adapter: PlatformAdapter, address: Address): Promise<void> {
 *   const message = await adapter.post(address, { text: 'Rendering …' }, 'render 1');
 *   // Once by key: after a restart this gives the same message.
 *   await adapter.post(address, { text: 'Rendering …' }, 'render 1');
 *   await adapter.edit(message, { text: 'Rendered.' });
 * }
 * ```
 */
export interface PlatformAdapter {
  readonly platform: PlatformName;
  /** Whether files posted here can be fetched by anybody, at a public https address. */
  readonly hasPublicFiles: boolean;
  /** How the text of a message, and of those that follow it, is cut; absent where a message takes any length. */
  messageLimits?(message: MessageAddress): Promise<MessageLimits>;
  /** Posts once: the same key at the same address gives the message that is already there. */
  post(address: Address, message: Message, key: string): Promise<MessageAddress>;
  /**
   * The message with which a job's answer began, where its process died after the platform took it and before that
   * was written down: it's found by the key under which it was sent. Undefined where none stands there.
   */
  findAnswer?(job: AnsweredJob): Promise<PostedAnswer | undefined>;
  /**
   * Whether a job's answer stands there with its files already, where it was put by an edit whose end nobody saw: `post`
   * recognises only what was posted.
   */
  hasFilesOf?(job: AnsweredJob, message: Message): Promise<boolean>;
  /**
   * The message in which a growing answer went on below those on record, where its process died before that was
   * written down. Undefined where none stands there.
   */
  findContinuation?(job: AnsweredJob, known: readonly MessageAddress[]): Promise<PostedAnswer | undefined>;
  /** Makes an existing message show this text and these buttons instead; its files stay. */
  edit(message: MessageAddress, content: Message): Promise<void>;
  /**
   * Turns a message that announced something into its result: edits it where files can be added to a
   * message, posts beside it where they cannot. Once by key.
   */
  complete(message: MessageAddress, content: Message, key: string): Promise<MessageAddress>;
  /**
   * Answers a command whose process died before it said anything, by what was kept of the acknowledgement; where
   * a platform needs nothing kept, `post` does it.
   */
  answerInterrupted?(acknowledgement: Readonly<Record<string, string>>, message: Message): Promise<void>;
  /** The direct messages with somebody, which nobody else reads; opened where there are none yet. */
  directMessages(workspace: string, person: string): Promise<Address>;
  /**
   * Whether something was begun under a key in the direct messages with somebody, in this process or a former one: it
   * may be there, so that it is gone on with there. Absent where a platform keeps no record of that.
   */
  hasBegunDirectly?(workspace: string, person: string, key: string): Promise<boolean>;
  /** What people call a channel, where the platform tells it. */
  channelName?(address: Address): Promise<string | undefined>;
  remove(message: MessageAddress): Promise<void>;
  /** Opens a thread under a message; the message's own place where no thread is possible. */
  openThread(message: MessageAddress, name: string): Promise<Address>;
  /** The largest file of a kind that may be given to be posted there, in bytes; some are made smaller for it. */
  maxFileBytes(address: Address, kind: OutgoingFile['kind']): Promise<number>;
  /** The files a message holds, with addresses that are valid now. */
  attachments(message: MessageAddress): Promise<readonly IncomingFile[]>;
  /** Reads a file somebody gave, at most `maxBytes` of it. */
  readFile(file: IncomingFile, maxBytes: number): Promise<Uint8Array>;
}

/** What a job's answer is found by. */
export type AnsweredJob = Pick<Job, 'id' | 'address' | 'eventId' | 'acknowledgement'>;

/** The first message of an answer, as its platform shows it. */
export interface PostedAnswer {
  readonly message: MessageAddress;
  /** Its words; without marks where the platform keeps them in another form. */
  readonly text: string;
  /** The words came back without their form, perhaps not all of them: nobody may write them over what stands there. */
  readonly isLossy?: true;
  readonly files: number;
}

/**
 * The key of one of the messages an event is answered with, 0 for the first; for platforms that find them by keys. A
 * late delivery goes on with the first: what only goes along with an answer has an {@link noticeKey}.
 */
export function answerKey(eventId: string, index: number): string {
  return `${eventId}:${index}`;
}

/** The key of a word that only goes along with what an event is answered with; the same word comes once. */
export function noticeKey(eventId: string, word = ''): string {
  return `${eventId}:aside:${createHash('sha256').update(word).digest('base64url').slice(0, 16)}`;
}

/**
 * The key of one of the messages an event is answered with directly, where its place doesn't take them. Whoever brings
 * it there, the answer itself or a late delivery, uses this one: what was begun is gone on with and comes once.
 */
export function directKey(eventId: string, index = 0): string {
  return `${eventId}:direct:${index}`;
}

/** How long the messages of a text are. */
export interface MessageLimits {
  readonly maxLength: number;
  /** What a text counts as; its characters by default. */
  length?(text: string): number;
}

export type PlatformErrorKind =
  | 'no-permission'
  /** The content itself, and for good: the same request is never made again, at most a plainer one. */
  | 'refused'
  /** The words, by the place's own moderation: they must not reach it in another form either, as a file say. */
  | 'moderated'
  | 'gone'
  | 'too-large'
  | 'expired'
  | 'file-not-allowed'
  | 'unreachable'
  | 'not-a-member';

/** Why a platform did not take something. */
export class PlatformError extends Error {
  readonly kind: PlatformErrorKind;
  /** Name of the missing permission, the limit, … for the sentence about it. */
  readonly detail: string | undefined;
  constructor(kind: PlatformErrorKind, detail?: string, options?: ErrorOptions) {
    super(`platform: ${kind}${detail ? ` (${detail})` : ''}`, options);
    this.name = 'PlatformError';
    this.kind = kind;
    this.detail = detail;
  }
}

/** Finds the adapter of an address's platform; undefined where it is not running. */
export type PlatformAdapters = (platform: PlatformName) => PlatformAdapter | undefined;
