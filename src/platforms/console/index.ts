export { type ConsoleDependencies, type ConsolePlatform, createConsole } from './start.ts';
