export { type DiscordOptions, type DiscordPlatform, startDiscord } from './start.ts';
