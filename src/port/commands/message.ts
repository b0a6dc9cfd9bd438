import type { Ending } from '../../reply/index.ts';
import type { MessageAddress } from '../address.ts';
import type { Asked } from './options.ts';

/** How many buttons stand under what is finished: all there are, the few that people use most, or none. */
export const buttonAmounts = ['all', 'few', 'none'] as const;
export type ButtonAmount = (typeof buttonAmounts)[number];

/** A button under a message. */
export interface Button {
  /** Which action on which job (`actionId`), at most 100 characters. It carries no state. */
  readonly id: string;
  /** At most 75 characters, the strictest platform's limit. */
  readonly label: string;
  readonly style?: 'plain' | 'primary' | 'danger';
  /** Asked before it does anything, where the platform has such a dialog: what cannot be taken back. */
  readonly confirm?: { readonly question: string; readonly yes: string; readonly no: string };
  /** Its meaning, where its label is only a sign: for screen readers and tooltips. */
  readonly description?: string;
  /** A vote on an answer: Slack has buttons of its own for a good one and a bad one side by side. */
  readonly vote?: 'good' | 'bad';
  /** Buttons with a greater number stand in rows further down; 0 if absent. */
  readonly row?: number;
}

/** Buttons in the rows they ask for, none empty, with at most `perRow` in each. */
export function buttonRows(buttons: readonly Button[], perRow: number): readonly (readonly Button[])[] {
  const byRow = Map.groupBy(buttons, ({ row = 0 }) => row);
  const inOrder = [...byRow.entries()].sort(([one], [other]) => one - other);
  return inOrder.flatMap(([, row]) =>
    Array.from({ length: Math.ceil(row.length / perRow) }, (_, index) =>
      row.slice(index * perRow, (index + 1) * perRow),
    ),
  );
}

/** A file that goes out with a message. */
export interface OutgoingFile {
  readonly name: string;
  readonly contentType: string;
  /** How people meet it: a `voice` clip becomes a voice message where the platform has those. */
  readonly kind: 'image' | 'audio' | 'voice' | 'video' | 'file';
  /** Said to those who cannot see or hear it. */
  readonly description: string;
  /** In bytes. */
  readonly size: number;
  /** Length of sound or film. */
  readonly seconds?: number;
  /** Identifies a clip, so that it's posted once. */
  readonly id?: string;
  /** A public address of the same file, linked if the platform has to shrink an image to post it. */
  readonly original?: string;
  /** Opens the content; called again for each retry. */
  open(): AsyncIterable<Uint8Array>;
}

/** What is posted: text, files and buttons; all of it may be absent, not all at once. */
export interface Message {
  /** Markdown, with moments as `momentFor` writes them. It never notifies anybody, whatever it contains. */
  readonly text?: string;
  /** The end of the text: shown also where the text is too long for its place, and its whole comes as a file. */
  readonly note?: string;
  /** The text without people's own words: said where a place's moderation doesn't take those. */
  readonly unquoted?: string;
  /** Said instead where it comes directly to who is notified, because its place takes no messages. */
  readonly directly?: string;
  readonly files?: readonly OutgoingFile[];
  /** An edit shows exactly the buttons it is given. */
  readonly buttons?: readonly Button[];
  /** Ids of the people who are notified, nobody else is; the platform writes their names before the text. */
  readonly mentions?: readonly string[];
  /** The name of the persona that says it: stands above the text, where a line that tells whose it is doesn't already. */
  readonly persona?: string;
  /** Whose command it's about: said above a new message where nothing else tells; an edit leaves that line as it is. */
  readonly whose?: Asked;
  /** The address of a result too large to attach, shown as a link with a preview: a video plays there. */
  readonly link?: string;
  /** The files and the link stay hidden until a person wants to see them, as far as the platform can do that. */
  readonly spoiler?: true;
}

/** A whole file in memory as a message's file. */
export function fileOf(bytes: Uint8Array, about: Omit<OutgoingFile, 'size' | 'open'>): OutgoingFile {
  return {
    ...about,
    size: bytes.byteLength,
    async *open() {
      yield bytes;
    },
  };
}

/** A text that's too long for its place, as a file. */
export function textFile(text: string, description = 'The whole answer'): OutgoingFile {
  return fileOf(Buffer.from(text), {
    name: 'answer.md',
    contentType: 'text/markdown; charset=utf-8',
    kind: 'file',
    description,
  });
}

/** All bytes of an outgoing file; for platforms and formats that need them at once. */
export async function bytesOf(file: OutgoingFile): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.open()) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

/** How far a live answer has come: kept on record, so that it can be ended honestly after a crash. */
export interface LiveProgress {
  readonly messages: readonly MessageAddress[];
  /** The text of the last message. */
  readonly lastText: string;
  /** All that people can read of its text, as it was split; as much as the last message shows where absent. */
  readonly pieces?: readonly string[];
  /** How it ended, once people can read that; its note is the end of the last piece, or the last ones. */
  readonly ending?: Ending;
}

export interface StreamOptions {
  /** The name of the persona that answers: stands above the text. */
  readonly persona?: string;
  /** Buttons of the last message: while it grows, and by how it ended. */
  readonly buttons: (ending: Ending | undefined) => readonly Button[];
  /** Called after every write of a message, and awaited before the next. */
  readonly onProgress?: (progress: LiveProgress) => void | Promise<void>;
  /** Called for every write of a message that the platform refuses for good. */
  readonly onRefused?: (error: unknown) => void;
  /** Called where the platform says that somebody has stopped the answer with a button of its own. */
  readonly onStopped?: () => void;
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

/** Puts what stands for an answer until it comes on record as its message, and forgets it. */
export interface LoadingRecords {
  note(message: MessageAddress): Promise<void>;
  forget(message: MessageAddress): Promise<void>;
}

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
  /**
   * Has what everybody sees until the first answer takes its place put on record: whoever deletes it wants no answer. It's
   * forgotten before the platform itself takes it away. Absent where there's no such message.
   */
  recordLoading?(records: LoadingRecords): Promise<void>;
  /** Takes that away: the answer is brought in another way. Nothing is said by this reply from then on. */
  discardLoading?(): Promise<void>;
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
