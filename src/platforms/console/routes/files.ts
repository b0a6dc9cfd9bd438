import { Readable } from 'node:stream';
import { type Context, Hono } from 'hono';
import { filePolicy } from '../headers.ts';
import { readRange } from '../range.ts';
import { wireFile } from '../shapes.ts';
import { type FileRow, type Files, FileTooLargeError } from '../store/files.ts';
import { fault, queryOf, requests } from './requests.ts';
import type { SessionVariables } from './session.ts';

/** The largest file a person can upload, in bytes. */
export const maxUploadBytes = 25 * 1024 ** 2;

/** Types that browsers show without running anything; everything else is offered for saving. */
const shown = /^(?:image\/(?:png|jpeg|gif|webp|avif)|audio\/[\w.+-]+|video\/[\w.+-]+)$/;

/** Uploads, and the files of messages. */
export function fileRoutes(files: Files): Hono<SessionVariables> {
  return new Hono<SessionVariables>()
    .post('/files', async (context) => {
      const about = queryOf(context, requests.file);
      const { body } = context.req.raw;
      if (!about || !body) return fault(context, 'bad-request', 400);
      // Cancelling the body would end the connection before its answer.
      const content = body.values({ preventCancel: true });
      if (Number(context.req.header('content-length') ?? 0) > maxUploadBytes)
        return fault(context, 'too-large', 413);
      try {
        const row = await files.save(content, { ...uploaded(about.name, about.type) }, maxUploadBytes);
        return context.json(wireFile(row), 201);
      } catch (error) {
        if (error instanceof FileTooLargeError) return fault(context, 'too-large', 413);
        throw error;
      }
    })
    .get('/files/:id/:name', async (context) => {
      const row = await files.find(context.req.param('id'));
      return row ? send(context, row, files) : fault(context, 'not-found', 404);
    });
}

function uploaded(name: string, type: string) {
  const contentType = /^[\w.+-]+\/[\w.+-]+/.exec(type.toLowerCase())?.[0] ?? 'application/octet-stream';
  const [family] = contentType.split('/');
  const kind = family === 'image' || family === 'video' || family === 'audio' ? family : 'file';
  return { name, contentType, kind, description: name } as const;
}

function send(context: Context, row: FileRow, files: Files): Response {
  const size = Number(row.size);
  const range = size === 0 ? 'whole' : readRange(context.req.header('range'), size);
  const headers = headersOf(row, context.req.query('download') !== undefined);
  if (context.req.header('if-none-match') === headers.etag)
    return new Response(null, { status: 304, headers });
  if (range === 'unsatisfiable') {
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } });
  }
  if (range === 'whole') {
    return new Response(bodyFor(context, files, row), {
      headers: { ...headers, 'content-length': String(size) },
    });
  }
  const part = {
    ...headers,
    'content-length': String(range.end - range.start + 1),
    'content-range': `bytes ${range.start}-${range.end}/${size}`,
  };
  return new Response(bodyFor(context, files, row, range), { status: 206, headers: part });
}

function bodyFor(context: Context, files: Files, row: FileRow, range?: { start: number; end: number }) {
  if (context.req.method === 'HEAD') return null;
  return Readable.toWeb(files.read(row.id, range)) as ReadableStream<Uint8Array>;
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

/** What RFC 8187 wants escaped and `encodeURIComponent` leaves. */
function escapeAgain(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
