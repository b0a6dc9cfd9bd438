import type { IncomingMessage } from 'node:http';
import { ApiError } from './api-error.ts';

/** Room for four reference images as data URLs. */
const maxBytes = 48 * 1024 * 1024;

/** Reads a JSON body of at most 48 MiB, whatever its content type. */
export async function readBody(incoming: IncomingMessage): Promise<unknown> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const text = await readText(incoming);
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, `The body isn’t valid JSON (${text.length} characters).`, {
      code: 'invalid_json',
    });
  }
}

/** Enforces the limit while reading, since a body may have no `Content-Length`. */
function readText(incoming: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
      else reject(tooLarge());
    });
    incoming.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    incoming.once('error', reject);
  });
}

function tooLarge(): ApiError {
  return new ApiError(413, `The body is larger than ${maxBytes} bytes.`, {
    headers: { connection: 'close' },
  });
}
