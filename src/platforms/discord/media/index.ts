import { Worker } from 'node:worker_threads';
import type { MediaTask, ShrunkImage, VoiceShape } from './tasks.ts';

export type { ShrunkImage, VoiceShape } from './tasks.ts';

/** Encodes an image anew so that it has at most `limit` bytes; in a thread of its own. */
export function shrinkImage(bytes: Uint8Array, limit: number): Promise<ShrunkImage | undefined> {
  return inThread({ kind: 'shrink', bytes, limit });
}

/** Length and waveform of an Ogg Opus clip; in a thread of its own. */
export function voiceShape(bytes: Uint8Array): Promise<VoiceShape | undefined> {
  return inThread({ kind: 'voice', bytes });
}

function inThread<T>(task: MediaTask): Promise<T> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: task });
  return new Promise<T>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the media worker ended with ${code} and no result`)));
  });
}
