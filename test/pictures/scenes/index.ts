import type { DiscordScene, SlackScene } from '../stage/scene.ts';
import { discordFromMessage } from './discord-from-message.ts';
import { discordGallery } from './discord-gallery.ts';
import { discordPrivate } from './discord-private.ts';
import { discordReply } from './discord-reply.ts';
import { discordSideBySide } from './discord-side-by-side.ts';
import { discordWelcome } from './discord-welcome.ts';
import { slackAddMe } from './slack-add-me.ts';
import { slackFromMessage } from './slack-from-message.ts';
import { slackHome } from './slack-home.ts';
import { slackThread } from './slack-thread.ts';
import { slackWords } from './slack-words.ts';

/** Every scene, by the platform it plays on. */
export const discordScenes: readonly DiscordScene[] = [
  discordFromMessage,
  discordGallery,
  discordPrivate,
  discordReply,
  discordSideBySide,
  discordWelcome,
];
export const slackScenes: readonly SlackScene[] = [
  slackAddMe,
  slackFromMessage,
  slackHome,
  slackThread,
  slackWords,
];
