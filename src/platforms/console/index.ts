export { type ConsoleParts, type ConsolePlatform, createConsole } from './start.ts';
