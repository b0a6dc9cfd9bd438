export { type DiscordOptions, startDiscord } from './start.ts';
