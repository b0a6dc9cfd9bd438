import { stripTypeScriptTypes } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';

/**
 * A worker: makes the page's files ready to be sent, once, away from the event loop. Types become spaces, so a
 * line number in the browser is the line number in the file.
 */
const sources = workerData as Record<string, string>;
const ready: Record<string, { plain: Uint8Array; gzip: Uint8Array }> = {};
for (const [path, source] of Object.entries(sources)) {
  const plain = Buffer.from(path.endsWith('.ts') ? stripTypeScriptTypes(source) : source);
  ready[path] = { plain, gzip: gzipSync(plain) };
}
parentPort?.postMessage(ready);
