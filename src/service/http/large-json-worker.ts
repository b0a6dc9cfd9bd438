import { parentPort, workerData } from 'node:worker_threads';
import { decodeLongBase64, parseJson } from '../decode/answer.ts';

const text = Buffer.from(workerData.buffer, workerData.byteOffset, workerData.length).toString();
const { value, buffers } = decodeLongBase64(parseJson(text));
parentPort?.postMessage(value, buffers);
