import { isObject } from './answer.ts';

/** Shorter texts are decoded when needed, because that is fast. */
const long = 65_536;
const deepest = 8;
const dataUrl = /^data:([^;,]{0,100})(?:;[^;,]{0,100}){0,4}?;base64,/i;

/** The content of a base64 text or data URL; `type` is the data URL's type. */
interface Base64File {
  bytes: Buffer<ArrayBuffer>;
  type: string | undefined;
}

/** Decodes a data URL, or plain base64 if allowed. `undefined` if it is neither. */
export function decodeBase64(text: string, allowed: 'data URL' | 'plain too'): Base64File | undefined {
  const head = dataUrl.exec(text.slice(0, 512));
  if (!head && allowed === 'data URL') return undefined;
  const content = head ? text.slice(head[0].length) : text;
  if (!/^[A-Za-z0-9+/_-]{4}/.test(content)) return undefined;
  return { bytes: Buffer.from(content, 'base64'), type: head?.[1] };
}

/**
 * Replaces every long base64 text or data URL in a JSON value, down to depth 8, by its bytes. `buffers` can be
 * transferred to another thread.
 */
export function decodeLongBase64(value: unknown): { value: unknown; buffers: ArrayBuffer[] } {
  const buffers: ArrayBuffer[] = [];
  const decode = (entry: unknown, depth: number): unknown => {
    if (typeof entry === 'string') return entry.length < long ? entry : (decodeText(entry, buffers) ?? entry);
    if (depth > deepest) return entry;
    if (Array.isArray(entry)) return entry.map((inner) => decode(inner, depth + 1));
    if (!isObject(entry)) return entry;
    return Object.fromEntries(Object.entries(entry).map(([name, inner]) => [name, decode(inner, depth + 1)]));
  };
  return { value: decode(value, 0), buffers };
}

function decodeText(text: string, buffers: ArrayBuffer[]): Uint8Array | undefined {
  if (!dataUrl.test(text.slice(0, 512)) && !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined;
  const bytes = decodeBase64(text, 'plain too')?.bytes;
  if (bytes) buffers.push(bytes.buffer);
  return bytes;
}
