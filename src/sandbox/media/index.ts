export type { PictureRequest } from './drawing/picture.ts';
export { UnreadableReference } from './drawing/unreadable-reference.ts';
export type { FilmRequest, OnProgress } from './film/make-film.ts';
export { LaneClosed, WorkerCrashed } from './lanes/lane.ts';
export { imageSize, longestImageSide, type Size, videoSize } from './sizes.ts';
export type { Clip } from './speech/formats/clip.ts';
export type { SpeechRequest } from './speech/narrate.ts';
export { MediaStudio } from './studio.ts';
