import type { Bot } from '../../../src/app/bot.ts';
import type { Coordination } from '../../../src/coordination/index.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import type { Locale, Platform } from '../../../src/port/index.ts';
import type { Database } from '../../../src/store/index.ts';
import type { Posted } from '../../crash/place.ts';
import type { FakeClock } from '../../fakes/clock.ts';
import type { Life } from './life.ts';

/** What a platform of a process is made of. */
export interface ProcessParts {
  readonly life: Life;
  readonly bot: Bot;
  readonly database: Database;
  readonly coordination: Coordination;
  readonly clock: Clock;
}

/** What the bot says, and how many files are in it. */
export interface Said extends Posted {
  readonly files: number;
  /** Nobody can change it any more: what only one person sees on Slack. */
  readonly isWhisper?: true;
}

/** Where and how somebody asks. */
export interface Asking {
  /** Asks, in a place of its own, or gives another command; who dies meanwhile may never respond. */
  ask(prompt: string, command?: 'ask' | 'imagine' | 'video'): void;
  /** Presses the newest button with this label; false where there's none. */
  press(label: string, by?: 'requester' | 'moderator'): Promise<boolean>;
  /** Deletes what they wrote; undefined where that isn't a message. */
  unask?(): void;
  /** A moderator deletes the first of what the bot said there. */
  takeAway?(): void;
  /** Whether people see that it's being answered, where they can't read any of it before its end. */
  isBegun?(): boolean;
  /** Nothing recognises there what a process said right before it died: then it's said again, to one person. */
  readonly isSaidAgain?: true;
  /** Everything the bot says there. */
  posted(): Promise<readonly Said[]>;
  /** What still looks as if it went on, in words. */
  hanging(): Promise<readonly string[]>;
}

/** A platform without the bot, and people on it. */
export interface Place {
  readonly platform: 'console' | 'discord' | 'slack';
  /** Starts the platform of a process; `receives`: people can ask it. */
  start(parts: ProcessParts, receives: boolean): Promise<Platform>;
  /** Somebody who asks in a way, in a place of their own. */
  asking(way: string, locale: Locale): Promise<Asking>;
  close(): Promise<void>;
}

/** The database is for looking into. */
export type PlaceMaker = (clock: FakeClock, database: Database) => Promise<Place>;
