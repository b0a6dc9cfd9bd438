export {
  createSlack,
  type SlackDependencies as SlackParts,
  type SlackPlatform,
  type SlackSettings,
} from './start.ts';
