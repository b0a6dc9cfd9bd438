import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Fault } from '../faults/faults.ts';
import { faultError } from '../faults/faults.ts';
import { ApiError } from '../http/api-error.ts';
import type { Call, Dependencies } from '../http/call.ts';
import { cut, type Exit, findFault, stall } from '../http/send.ts';
import type { StoredFile } from './files.ts';

/** A byte range, both ends inclusive. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The URL of a finished file; it needs no key. */
export function fileUrl(call: Pick<Call, 'origin'>, name: string): string {
  return `${call.origin}/files/${name}`;
}

/** GET /files/{name}, with ranges. */
export async function serveFile(
  dependencies: Dependencies,
  exit: Exit & { readonly outgoing: ServerResponse<IncomingMessage> },
  name: string,
): Promise<void> {
  const file = await dependencies.files.find(name);
  if (file === 'gone') throw new ApiError(410, 'This file is gone.');
  if (!file) throw new ApiError(404, 'This file doesn’t exist.');
  const faults = file.owner?.faults('file') ?? [];
  await applyFaults(exit, faults);
  const { outgoing } = exit;
  const range = readRange(outgoing.req.headers.range, file.size);
  if (range === 'unsatisfiable') {
    outgoing.writeHead(416, { 'content-range': `bytes */${file.size}`, 'content-length': 0 });
    outgoing.end();
    return;
  }
  writeHead(outgoing, file, range);
  if (outgoing.req.method === 'HEAD') outgoing.end();
  else await sendBytes(exit, file, range, findFault(faults, 'during', 'cut', 'end', 'stall'));
}

async function applyFaults(exit: Exit, faults: readonly Fault[]): Promise<void> {
  const wrong = faults.find((one) => one.when !== 'during' || one.kind === 'error');
  if (wrong?.kind === 'error') throw faultError(wrong);
  if (wrong?.kind === 'gone') throw new ApiError(410, 'This file is gone.');
  if (wrong?.kind === 'cut') cut(exit);
  if (wrong?.kind === 'stall') await stall(exit);
}

function writeHead(outgoing: ServerResponse, file: StoredFile, range: ByteRange | undefined): void {
  const length = range ? range.end - range.start + 1 : file.size;
  outgoing.writeHead(range ? 206 : 200, {
    'content-type': file.contentType,
    'content-length': length,
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=3600',
    ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${file.size}` }),
  });
}

async function sendBytes(
  exit: Exit,
  file: StoredFile,
  range: ByteRange | undefined,
  wrong: Fault | undefined,
) {
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  const last = wrong ? start + Math.floor((end - start) / 2) : end;
  const bytes = createReadStream(file.path, { start, end: last });
  await pipeline(bytes, exit.outgoing, { end: !wrong });
  if (wrong?.kind === 'stall') await stall(exit);
  if (wrong) cut(exit);
}

/** Reads a `Range` header; several ranges or another unit than bytes mean the whole file. */
function readRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  const suffix = match[1] === '';
  const start = suffix ? Math.max(0, size - Number(match[2])) : Number(match[1]);
  const end = suffix || match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  return start <= end ? { start, end } : 'unsatisfiable';
}
