import { PlatformError } from '../../../port/index.ts';
import { bytesInWords } from '../../../words/index.ts';

/** Discord's hosts for attached files. Nothing is fetched from others. */
const hosts = new Set(['cdn.discordapp.com', 'media.discordapp.net']);
/** Milliseconds that a download may take. */
const timeout = 60_000;

/** Reads a file of at most `maxBytes`. */
export type Download = (url: string, maxBytes: number) => Promise<Uint8Array>;

/**
 * Reads a file that a person attached.
 * @throws {PlatformError} `too-large`; `gone` if its URL has expired; `unreachable`.
 */
export async function download(url: string, maxBytes: number): Promise<Uint8Array> {
  const { protocol, host } = new URL(url);
  if (protocol !== 'https:' || !hosts.has(host)) throw new PlatformError('gone');
  const response = await request(url);
  if (!response.ok || !response.body) throw new PlatformError(response.status < 500 ? 'gone' : 'unreachable');
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new PlatformError('too-large', bytesInWords(maxBytes));
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function request(url: string): Promise<Response> {
  try {
    return await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeout) });
  } catch (error) {
    throw new PlatformError('unreachable', undefined, { cause: error });
  }
}
