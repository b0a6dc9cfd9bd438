import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { Logger } from 'pino';
import type { ByteRange } from '../../../store/index.ts';
import { wireFile } from '../feed/to-wire.ts';
import { type FileRow, type Files, FileTooLargeError } from '../store/files.ts';
import { filePolicy, queryOf, requests, type SessionVariables } from './requests.ts';

/** The largest file a person can upload, in bytes. */
export const maxUploadBytes = 25 * 1024 ** 2;

/** Media types shown inline because they can't run scripts; everything else is a download. */
const shown = /^(?:image\/(?:png|jpeg|gif|webp|avif)|audio\/[\w.+-]+|video\/[\w.+-]+)$/;

/** Route for the files of messages: nobody guesses their ids, so images and players need no key. */
export function fileRoutes(files: Files, log: Pick<Logger, 'error'>): Hono<SessionVariables> {
  return new Hono<SessionVariables>().get('/files/:id/:name', async (context) => {
    const row = await files.find(context.req.param('id'));
    const sent = row && (await send(context, row, files, log));
    if (!sent) throw new HTTPException(404);
    return sent;
  });
}

/** Route for uploads. */
export function uploadRoutes(files: Files): Hono<SessionVariables> {
  return new Hono<SessionVariables>().post('/files', async (context) => {
    const about = queryOf(context, requests.file);
    const { body } = context.req.raw;
    if (!body) throw new HTTPException(400);
    // Cancelling the body would close the connection before the response.
    const content = body.values({ preventCancel: true });
    if (Number(context.req.header('content-length') ?? 0) > maxUploadBytes) throw new HTTPException(413);
    try {
      const row = await files.save(content, uploaded(about.name, about.type), maxUploadBytes);
      return context.json(wireFile(row), 201);
    } catch (error) {
      if (error instanceof FileTooLargeError) throw new HTTPException(413);
      throw error;
    }
  });
}

function uploaded(name: string, type: string) {
  const contentType = /^[\w.+-]+\/[\w.+-]+/.exec(type.toLowerCase())?.[0] ?? 'application/octet-stream';
  const [family] = contentType.split('/');
  const kind = family === 'image' || family === 'video' || family === 'audio' ? family : 'file';
  return { name, contentType, kind, description: name } as const;
}

/** Responds with the file or the requested range; undefined if its content is missing. */
async function send(
  context: Context,
  row: FileRow,
  files: Files,
  log: Pick<Logger, 'error'>,
): Promise<Response | undefined> {
  const size = Number(row.size);
  const range = size === 0 ? 'whole' : readRange(context.req.header('range'), size);
  const headers = headersOf(row, context.req.query('download') !== undefined);
  if (context.req.header('if-none-match') === headers.etag)
    return new Response(null, { status: 304, headers });
  if (range === 'unsatisfiable') {
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } });
  }
  const part = range === 'whole' ? undefined : range;
  const content = await files.open(row.id, part);
  if (!content) return undefined;
  const length = part ? part.end - part.start + 1 : size;
  const about = {
    ...headers,
    'content-length': String(length),
    ...(part && { 'content-range': `bytes ${part.start}-${part.end}/${size}` }),
  };
  const body = bodyOf(content, length, (error) => {
    log.error({ error, file: row.id }, 'could not read a file to its end');
    (context.env as Partial<HttpBindings>).outgoing?.destroy();
  });
  return new Response(body, { status: part ? 206 : 200, headers: about });
}

/** A file's stream as a response body. The headers are sent by then, so `onFault` can only close the connection. */
function bodyOf(
  content: AsyncIterable<Uint8Array>,
  length: number,
  onFault: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const chunks = content[Symbol.asyncIterator]();
  let left = length;
  let isCancelled = false;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (done && left > 0) throw new Error('the file has become shorter');
        if (done) return controller.close();
        left -= value.byteLength;
        controller.enqueue(value);
      } catch (error) {
        // Nobody reads it any more: a stream that's closed takes nothing.
        if (isCancelled) return;
        onFault(error);
        controller.close();
      }
    },
    async cancel() {
      isCancelled = true;
      await chunks.return?.();
    },
  });
}

function headersOf(row: FileRow, download: boolean) {
  const disposition = shown.test(row.content_type) && !download ? 'inline' : 'attachment';
  return {
    'content-type': row.content_type,
    'content-disposition': `${disposition}; filename*=UTF-8''${encodeURIComponent(row.name).replaceAll(/['()*]/g, escapeAgain)}`,
    'accept-ranges': 'bytes',
    etag: `"${row.id}"`,
    'cache-control': 'private, max-age=31536000, immutable',
    'content-security-policy': filePolicy,
  };
}

/** Escapes a character that RFC 8187 requires escaped and `encodeURIComponent` leaves. */
function escapeAgain(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/**
 * Reads a `Range` header for a file of `size` bytes (RFC 9110, section 14). `whole` if there is none or it may
 * be ignored (several ranges, another unit); `unsatisfiable` if it lies outside the file.
 */
export function readRange(header: string | undefined, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (!match || (first === '' && last === '')) return 'whole';
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return 'whole';
  return start >= size ? 'unsatisfiable' : { start, end };
}
