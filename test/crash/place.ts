import { words } from '../../src/words/index.ts';
import type { Step } from './steps.ts';

/** Something that is asked for. Its prompt names it among everything else. */
export interface Wish {
  readonly command: 'ask' | 'imagine' | 'video';
  readonly prompt: string;
}

/** What became of a wish, as people see it. */
export interface Fate {
  /** How often the result stands there. */
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
  fate(wish: Wish): Fate;
  /** Everything that still says it is under way, in words. */
  hanging(): readonly string[];
  close(): Promise<void>;
}

const say = words('en');

/** Reads the fate of a wish from the messages about it. */
export function fateOf(messages: readonly { readonly text: string; readonly media: number }[]): Fate {
  const ended = messages.filter(({ text }) => text.includes('⚠️'));
  const uncertain = ended.filter(({ text }) => text.includes(say.noticeUncertain.slice(0, 40)));
  return {
    delivered: messages.reduce((sum, { media }) => sum + media, 0),
    uncertain: uncertain.length,
    told: ended.length - uncertain.length,
  };
}

/** Whether a message says that something is being made, and not that it was interrupted. */
export function isUnfinished(text: string): boolean {
  return [say.drawing, say.filming].some((words) => text.includes(words)) && !text.includes('⚠️');
}
