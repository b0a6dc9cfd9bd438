import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { faultError } from '../faults/faults.ts';
import { ApiError } from '../http/api-error.ts';
import { cut, type Exit, findFault, stall } from '../http/send.ts';
import type { FileStore } from './files.ts';

/** GET /files/{name}, with ranges. */
export async function serveFile(files: FileStore, exit: Exit, name: string): Promise<void> {
  const file = await files.find(name);
  if (file === 'gone') throw new ApiError(410, 'This file is gone.');
  if (!file) throw new ApiError(404, 'This file doesn’t exist.');
  const faults = file.owner?.faults('file') ?? [];
  const wrong = faults.find((one) => one.when !== 'during' || one.kind === 'error');
  if (wrong?.kind === 'error') throw faultError(wrong);
  if (wrong?.kind === 'gone') throw new ApiError(410, 'This file is gone.');
  if (wrong?.kind === 'cut') cut(exit);
  if (wrong?.kind === 'stall') await stall(exit);
  const { outgoing } = exit;
  const { method, headers } = outgoing.req;
  const range = readRange(headers.range, file.size);
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  if (start > end) {
    outgoing.writeHead(416, { 'content-range': `bytes */${file.size}`, 'content-length': 0 });
    outgoing.end();
    return;
  }
  outgoing.writeHead(range ? 206 : 200, {
    'content-type': file.contentType,
    'content-length': end - start + 1,
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=3600',
    ...(range && { 'content-range': `bytes ${start}-${end}/${file.size}` }),
  });
  if (method === 'HEAD') {
    outgoing.end();
    return;
  }
  const half = findFault(faults, 'during', 'cut', 'end', 'stall');
  const last = half ? start + Math.floor((end - start) / 2) : end;
  await pipeline(createReadStream(file.path, { start, end: last }), outgoing, { end: !half });
  if (half?.kind === 'stall') await stall(exit);
  if (half) cut(exit);
}

/**
 * Reads a `Range` header, both ends inclusive: of none if it can't be satisfied. Several ranges or another unit than
 * bytes mean the whole file.
 */
function readRange(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === '' && to) return { start: Math.max(0, size - Number(to)), end: size - 1 };
  if (!from) return undefined;
  return { start: Number(from), end: to ? Math.min(Number(to), size - 1) : size - 1 };
}
