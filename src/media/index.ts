export * from './image-size.ts';
export * from './marks/marked.ts';
export * from './run-in-worker.ts';
export { maxSoundBytes, SoundConverter } from './sound/sound-converter.ts';
