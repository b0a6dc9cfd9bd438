import type { Locale } from '../../../src/port/index.ts';
import type { Panel } from '../draw/page.ts';
import type { DiscordPlace } from './discord-place.ts';
import type { SlackPlace } from './slack-place.ts';

/** One text in each language. */
export type Texts<T = string> = Readonly<Record<Locale, T>>;

/** What people do, and what they see then. Shown in the documentation, and tried by the tests. */
export interface Scene<Place> {
  /** The picture's file name. */
  readonly name: string;
  /** What must be seen somewhere in the drawn steps. */
  readonly shows: Texts<readonly string[]>;
  play(place: Place): Promise<readonly Panel[]>;
}

export type DiscordScene = Scene<DiscordPlace>;
export type SlackScene = Scene<SlackPlace>;
