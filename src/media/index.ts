export * from './image-size.ts';
export * from './in-worker.ts';
export type { ImageSize } from './size.ts';
export type { ConvertedSound } from './sound/sounds.ts';
export { largestSound, Sounds } from './sound/sounds.ts';
export * from './turns.ts';
