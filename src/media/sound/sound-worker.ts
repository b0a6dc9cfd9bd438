import { markedBytes } from '../marks/marked.ts';
import { serve } from '../run-in-worker.ts';
import { convertSound, type SoundFormat } from './convert-sound.ts';

/** The order of the worker thread. */
export type SoundTask = { readonly bytes: Uint8Array; readonly to: SoundFormat };

serve(async ({ bytes, to }: SoundTask) => {
  const made = await convertSound(bytes, to);
  // An encoder keeps nothing but the sound.
  return made && markedBytes(made);
});
