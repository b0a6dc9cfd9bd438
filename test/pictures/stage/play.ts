import type { Locale } from '../../../src/port/index.ts';
import type { Panel } from '../draw/page.ts';
import { discordScenes, slackScenes } from '../scenes/index.ts';
import type { Bot } from './bot.ts';
import { DiscordPlace } from './discord-place.ts';
import type { Scene } from './scene.ts';
import { SlackPlace } from './slack-place.ts';

/** A scene on its platform, ready to be played. */
export interface Playable {
  readonly name: string;
  readonly platform: 'Discord' | 'Slack';
  readonly shows: Scene<never>['shows'];
  /** Plays it in a place of its own. */
  play(bot: Bot, locale: Locale): Promise<readonly Panel[]>;
}

export const playables: readonly Playable[] = [
  ...discordScenes.map((scene) => ({
    ...scene,
    platform: 'Discord' as const,
    play: (bot: Bot, locale: Locale) => scene.play(new DiscordPlace(bot, locale)),
  })),
  ...slackScenes.map((scene) => ({
    ...scene,
    platform: 'Slack' as const,
    play: (bot: Bot, locale: Locale) => scene.play(new SlackPlace(bot, locale)),
  })),
];
