import type { DiscordScene, SlackScene } from '../stage/scene.ts';
import { discordAnswer } from './discord-answer.ts';
import { discordFromMessage } from './discord-from-message.ts';
import { discordGallery } from './discord-gallery.ts';
import { discordPrivate } from './discord-private.ts';
import { discordQueue } from './discord-queue.ts';
import { discordReply } from './discord-reply.ts';
import { discordSettings } from './discord-settings.ts';
import { discordSideBySide } from './discord-side-by-side.ts';
import { discordVersions } from './discord-versions.ts';
import { discordVideo } from './discord-video.ts';
import { discordWelcome } from './discord-welcome.ts';
import { slackAddMe } from './slack-add-me.ts';
import { slackDirect } from './slack-direct.ts';
import { slackFromMessage } from './slack-from-message.ts';
import { slackHome } from './slack-home.ts';
import { slackOwnThread } from './slack-own-thread.ts';
import { slackStep } from './slack-step.ts';
import { slackThread } from './slack-thread.ts';
import { slackWords } from './slack-words.ts';

/** Every scene, by the platform it plays on. */
export const discordScenes: readonly DiscordScene[] = [
  discordAnswer,
  discordFromMessage,
  discordGallery,
  discordPrivate,
  discordQueue,
  discordReply,
  discordSettings,
  discordSideBySide,
  discordVersions,
  discordVideo,
  discordWelcome,
];
export const slackScenes: readonly SlackScene[] = [
  slackAddMe,
  slackDirect,
  slackFromMessage,
  slackHome,
  slackOwnThread,
  slackStep,
  slackThread,
  slackWords,
];
