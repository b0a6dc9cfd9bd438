import { once } from '../../lib/clock.ts';
import type { SpeechRequest, Work } from './studio.ts';
import { serve } from './worker-queue.ts';

/** A speech engine serves its thread for good: starting one takes longer than most clips. */
const speaker = once(async () => {
  const { narrate, SpeechEngine } = await import('./speech/narrate.ts');
  const engine = await SpeechEngine.load();
  return (request: SpeechRequest) => narrate(engine, request);
});

// A thread loads only what it makes.
serve(async (work: Work, onProgress) => {
  if ('speech' in work) return (await speaker())(work.speech);
  if ('picture' in work) return (await import('./drawing/picture.ts')).drawPicture(work.picture);
  return (await import('./video/render-video.ts')).renderVideo(work.video, onProgress);
});
