import { parentPort, workerData } from 'node:worker_threads';
import type { MediaTask } from './media-tasks.ts';
import { shrinkImage } from './shrink-image.ts';
import { voiceMetadata } from './voice-metadata.ts';

const task = workerData as MediaTask;
const result =
  task.kind === 'shrink' ? await shrinkImage(task.bytes, task.limit) : await voiceMetadata(task.bytes);
parentPort?.postMessage(result);
