import { parentPort, workerData } from 'node:worker_threads';
import { convertSound, type SoundFormat } from './convert-sound.ts';

const { bytes, to } = workerData as { readonly bytes: Uint8Array; readonly to: SoundFormat };
parentPort?.postMessage(await convertSound(bytes, to));
