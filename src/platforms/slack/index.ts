export { createSlack, type SlackParts, type SlackPlatform, type SlackSettings } from './start.ts';
