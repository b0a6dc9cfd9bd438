import { parentPort, workerData } from 'node:worker_threads';

const { bytes } = workerData as { readonly bytes: Uint8Array };
parentPort?.postMessage(bytes.reduce((sum, byte) => sum + byte, 0));
