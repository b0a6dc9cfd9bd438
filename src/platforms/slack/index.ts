export type { SlackDependencies, SlackSettings } from './services.ts';
export { createSlack, type SlackPlatform } from './start.ts';
