import { parentPort, workerData } from 'node:worker_threads';
import { convertSound, type SoundFormat } from './convert-sound.ts';

const { bytes, to } = workerData as { readonly bytes: Uint8Array; readonly to: SoundFormat };
const made = await convertSound(bytes, to);
// Transferred, because a copy would block the main thread.
parentPort?.postMessage(made, made ? [made.buffer] : []);
