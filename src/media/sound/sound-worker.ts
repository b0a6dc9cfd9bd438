import { serve } from '../run-in-worker.ts';
import { convertSound, type SoundFormat } from './convert-sound.ts';

/** The order of the worker thread. */
export type SoundTask = { readonly bytes: Uint8Array; readonly to: SoundFormat };

serve(({ bytes, to }: SoundTask) => convertSound(bytes, to));
