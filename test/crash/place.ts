import type { Locale } from '../../src/port/index.ts';
import { words } from '../../src/words/index.ts';
import type { Step } from './steps.ts';

/** Something that is asked for. Its prompt names it among everything else. */
export interface Wish {
  readonly command: 'ask' | 'imagine' | 'speak' | 'video';
  readonly prompt: string;
  /** The words of the prompt that messages about it repeat; all of it where absent. */
  readonly about?: string;
  /** The last words of an answer, which its question's first line does not repeat. */
  readonly lastWords?: string;
  /** The words of the answer, each of which is known by its number. */
  readonly answer?: { readonly mark: string; readonly count: number };
  /** Who asks; the first of the people where it does not matter. */
  readonly by?: Asker;
}

/** Who is in the place. */
export const askers = ['ada', 'bob', 'wei'] as const;
export type Asker = (typeof askers)[number];

/** The language of who asks. */
export const localeOf = ({ by }: Pick<Wish, 'by'>): Locale => (by === 'wei' ? 'zh-CN' : 'en');

/** What became of a wish, as people see it. */
export interface Fate {
  /** How often the result is shown. */
  readonly delivered: number;
  /** How often it is said that nobody knows whether it was paid for. */
  readonly uncertain: number;
  /** How often it is said that it ended otherwise: interrupted, or failed. */
  readonly told: number;
}

/** A platform's test server with the bot invited, and somebody who gives it commands. */
export interface CrashPlace {
  readonly name: 'discord' | 'slack';
  /** What the bot has to be started with. */
  readonly environment: Readonly<Record<string, string>>;
  /** The moments of this platform at which the bot is killed. */
  readonly steps: readonly Step[];
  /** Resolves when commands can be given. */
  ready(): Promise<unknown>;
  /** Gives a command, as a person does. */
  give(wish: Wish): void;
  /** Whether the platform has told the person that the bot did not respond. */
  notTaken(wish: Wish): boolean;
  /** Cuts every connection over which the platform sends events. */
  dropSockets(): void;
  /** The port at which the bot reaches the platform. */
  readonly port: number;
  fate(wish: Wish): Fate;
  /** Everything that still says it is under way, in words. */
  hanging(): readonly string[];
  /** Everything the bot has said, private words included. */
  texts(): readonly string[];
  /** The same with its buttons. */
  posted(): readonly Posted[];
  close(): Promise<void>;
}

const say = words('en');

/** What a message shows. */
export interface Shown {
  readonly text: string;
  /** Files and pictures in it. */
  readonly media: number;
}

/** What people read, and the labels of the buttons below it. */
export interface Posted {
  readonly text: string;
  readonly buttons: readonly string[];
}

/** The labels of all buttons in a message's components or blocks. */
export function labelsIn(parts: unknown): readonly string[] {
  if (Array.isArray(parts)) return parts.flatMap(labelsIn);
  if (typeof parts !== 'object' || parts === null) return [];
  const { label, type, text } = parts as { label?: unknown; type?: unknown; text?: { text?: unknown } };
  if (typeof label === 'string') return [label];
  if (type === 'button' && typeof text?.text === 'string') return [text.text];
  return Object.values(parts).flatMap(labelsIn);
}

/**
 * Reads the fate of a wish from the messages about it; an answer is there when its last words are, anywhere.
 * `refusals`: how often the person alone was told why it was not begun.
 */
export function fateOf(
  wish: Wish,
  messages: readonly Shown[],
  everywhere: readonly Shown[] = messages,
  refusals = 0,
): Fate {
  const ended = messages.filter(({ text }) => text.includes('⚠️'));
  const uncertain = ended.filter(({ text }) => text.includes(say.noticeUncertain.slice(0, 40)));
  const { command, lastWords } = wish;
  const answered = lastWords === undefined ? [] : everywhere.filter(({ text }) => text.includes(lastWords));
  const media = messages.reduce((sum, message) => sum + message.media, 0);
  return {
    delivered: command === 'ask' ? answered.length : media,
    uncertain: uncertain.length,
    told: ended.length - uncertain.length + refusals,
  };
}

/** Whether a message says that something is being made, and not that it was interrupted. */
export function isUnfinished(text: string): boolean {
  return [say.drawing, say.filming].some((words) => text.includes(words)) && !text.includes('⚠️');
}
