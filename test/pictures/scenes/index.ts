import type { DiscordScene, SlackScene } from '../stage/scene.ts';
import { discordReply } from './discord-reply.ts';
import { discordWelcome } from './discord-welcome.ts';
import { slackHome } from './slack-home.ts';
import { slackWords } from './slack-words.ts';

/** Every scene, by the platform it plays on. */
export const discordScenes: readonly DiscordScene[] = [discordReply, discordWelcome];
export const slackScenes: readonly SlackScene[] = [slackHome, slackWords];
