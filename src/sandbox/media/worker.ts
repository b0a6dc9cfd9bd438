import { once } from '../../lib/clock.ts';
import { serve } from '../../media/index.ts';
import { UnreadableReference } from './sizes.ts';
import type { Clip, Made, OnProgress, SpeechRequest, Work } from './studio.ts';

/** A speech engine serves its thread for good: starting one takes longer than most clips. */
const speaker = once(async () => {
  const { narrate, SpeechEngine } = await import('./speech/narrate.ts');
  const engine = await SpeechEngine.load();
  return (request: SpeechRequest) => narrate(engine, request);
});

/** An error loses its class on the way to another thread, so that it goes with its data. */
serve((work: Work, onProgress) =>
  made(work, onProgress).then(
    (result): Made => ({ result }),
    (error): Made => (error instanceof UnreadableReference ? { unreadable: error.index } : { error }),
  ),
);

// A thread loads only what it makes.
async function made(work: Work, onProgress: OnProgress): Promise<Clip | Uint8Array> {
  if ('speech' in work) return (await speaker())(work.speech);
  if ('picture' in work) return (await import('./drawing/picture.ts')).drawPicture(work.picture);
  return (await import('./video/render-video.ts')).renderVideo(work.video, onProgress);
}
