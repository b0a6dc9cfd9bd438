export type { SlackDependencies } from './services.ts';
export type { SlackSettings } from './settings.ts';
export { createSlack, type SlackPlatform } from './start.ts';
