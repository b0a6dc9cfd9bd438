import { workerData } from 'node:worker_threads';

// A worker that does as it is told: throws, or ends without a word.
if (workerData.how === 'throw') throw new Error('broken file');
