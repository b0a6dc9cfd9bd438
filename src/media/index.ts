export * from './image-size.ts';
export * from './marks/marked.ts';
export * from './run-in-worker.ts';
export type { ConvertedSound } from './sound/sound-converter.ts';
export { maxSoundBytes, SoundConverter } from './sound/sound-converter.ts';
