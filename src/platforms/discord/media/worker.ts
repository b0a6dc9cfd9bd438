import { parentPort, workerData } from 'node:worker_threads';
import { shrinkImage } from './shrink-image.ts';
import type { MediaTask } from './tasks.ts';
import { voiceShape } from './voice-waveform.ts';

const task = workerData as MediaTask;
const result =
  task.kind === 'shrink' ? await shrinkImage(task.bytes, task.limit) : await voiceShape(task.bytes);
parentPort?.postMessage(result);
