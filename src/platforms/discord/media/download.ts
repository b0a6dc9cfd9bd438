import { PlatformError } from '../../../port/index.ts';
import { bytesInWords } from '../../../words/index.ts';

/** Where Discord keeps what people attach. Nothing else is ever fetched. */
const hosts = new Set(['cdn.discordapp.com', 'media.discordapp.net']);
const downloadLimit = 60_000;

export type Download = (url: string, maxBytes: number) => Promise<Uint8Array>;

/**
 * Reads a file that somebody attached.
 * @throws {PlatformError} `too-large`, `gone` where its address has expired, `unreachable`.
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
    return await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(downloadLimit) });
  } catch (error) {
    throw new PlatformError('unreachable', undefined, { cause: error });
  }
}
