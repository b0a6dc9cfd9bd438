import { parentPort, workerData } from 'node:worker_threads';
import { parseJson } from '../decode/answer.ts';
import { decodeLongBase64 } from '../decode/long-base64.ts';

const text = Buffer.from(workerData.buffer, workerData.byteOffset, workerData.length).toString();
const { value, buffers } = decodeLongBase64(parseJson(text));
parentPort?.postMessage(value, buffers);
