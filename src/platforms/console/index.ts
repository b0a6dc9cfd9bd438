export { type ConsoleDependencies as ConsoleParts, type ConsolePlatform, createConsole } from './start.ts';
