export type { SlackSettings } from './settings.ts';
export { createSlack, type SlackDependencies, type SlackPlatform } from './start.ts';
