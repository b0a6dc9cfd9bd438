export { type ConsoleParts, type ConsolePlatform, createConsole } from './console.ts';
