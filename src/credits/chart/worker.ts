import { parentPort, workerData } from 'node:worker_threads';
import type { ChartOrder } from './chart.ts';
import { draw } from './draw.ts';

parentPort?.postMessage(await draw(workerData as ChartOrder));
