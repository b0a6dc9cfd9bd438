import type { Ending } from '../../reply/index.ts';
import type { MessageAddress } from '../address.ts';
import type { Button, Message } from './message.ts';

/** How far a live answer has come: kept on record, so that it can be ended honestly after a crash. */
export interface LiveProgress {
  readonly messages: readonly MessageAddress[];
  /** What the last message shows. */
  readonly lastText: string;
  /** All that people can read of its text, as it was split; as much as the last message shows where absent. */
  readonly pieces?: readonly string[];
  /** How it ended, once people can read that; its note is the end of the last piece, or the last ones. */
  readonly ending?: Ending;
}

export interface StreamOptions {
  /** Buttons of the last message: while it grows, and by how it ended. */
  readonly buttons: (ending: Ending | undefined) => readonly Button[];
  /** Called after every write of a message, and awaited before the next. */
  readonly onProgress?: (progress: LiveProgress) => void | Promise<void>;
  /** Called for every write of a message that the platform refuses for good. */
  readonly onRefused?: (error: unknown) => void;
}

export interface RewriteOptions extends StreamOptions {
  /** In a message of its own in the same place: that one takes no edits. */
  readonly isBelow?: true;
}

/** An answer that grows where people see it. */
export interface LiveAnswer {
  /** Takes the next words; returns at once. */
  append(delta: string): void;
  /** Everything taken so far. */
  readonly text: string;
  /**
   * Stands there until the first words come: why it takes long. The latest counts; undefined takes back one that nobody
   * sees yet.
   */
  hint(text: string | undefined): void;
  /** Resolves when the last state has arrived. */
  finish(ending: Ending): Promise<readonly MessageAddress[]>;
}

/** A format in which a clip plays by itself. */
export type ClipFormat = 'opus' | 'mp3' | 'wav';

/** What a command may ask of the place where it was typed. */
export interface Reply {
  /**
   * Answers. The first call settles the platform's acknowledgement, further ones post further messages.
   * @throws {PlatformError} where what's for everybody there could only be shown to its requester.
   */
  say(message: Message, options?: { readonly forEverybody?: boolean }): Promise<MessageAddress>;
  /**
   * Shows something else in a message that `say` returned, below the line that tells who asked. Needs no database where the
   * platform needs none.
   * @throws {PlatformError} if it can't be changed any more.
   */
  replace(said: MessageAddress, message: Message): Promise<void>;
  /** Answers the requester alone. */
  whisper(message: Message): Promise<void>;
  /**
   * The format in which a voice clip plays best in this answer: Opus if it becomes a voice message. Absent if the platform
   * has no preference; MP3 plays everywhere.
   */
  clipFormat?(): Promise<ClipFormat>;
  /** Opens a live answer; instead of a first `say`, not after it. */
  stream(options: StreamOptions): LiveAnswer;
  /** Opens a live answer for everyone that takes the place of one in a message. Absent if the platform can't. */
  rewrite?(message: MessageAddress, options: RewriteOptions): Promise<LiveAnswer>;
}
