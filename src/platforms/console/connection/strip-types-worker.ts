import { stripTypeScriptTypes } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';

/**
 * Worker that prepares the page's files off the main thread. Types become spaces, so line numbers in the
 * browser match the source.
 */
const sources = workerData as ReadonlyMap<string, string>;
const ready = new Map<string, { plain: Uint8Array; gzip: Uint8Array }>();
for (const [path, source] of sources) {
  const plain = Buffer.from(path.endsWith('.ts') ? stripTypeScriptTypes(source) : source);
  ready.set(path, { plain, gzip: gzipSync(plain) });
}
parentPort?.postMessage(ready);
