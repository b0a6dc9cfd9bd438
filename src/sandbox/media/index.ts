export type { PictureRequest } from './drawing/picture.ts';
export { imageSize, longestImageSide, type Size, videoSize } from './sizes.ts';
export type { Clip } from './speech/formats/clip.ts';
export type { SpeechRequest } from './speech/narrate.ts';
export { MediaStudio } from './studio.ts';
export { UnreadableReference } from './unreadable-reference.ts';
export type { OnProgress, VideoRequest } from './video/render-video.ts';
export { PoolClosed, WorkerCrashed } from './workers/worker-pool.ts';
