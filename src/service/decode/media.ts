import { decodeBase64 } from './long-base64.ts';
import { ofWantedKind } from './media-kind.ts';
import { mediaType } from './media-type.ts';
import { isObject, type JsonObject, plainFields } from './read.ts';

/** A finished image or video: an address to fetch it from with `client.download`, or its bytes. */
export type MediaResult =
  | { kind: 'url'; url: string }
  | { kind: 'bytes'; bytes: Uint8Array; contentType: string | undefined };

/** What kind of result is looked for. */
export type MediaKind = 'image' | 'video';

/**
 * Where services put results, the surest first, in names of any spelling; what is not listed (covers, inputs,
 * links) is no result.
 */
interface Places {
  kind: MediaKind;
  addresses: readonly string[];
  base64: readonly string[];
  containers: readonly string[];
}

const addresses =
  'url downloadurl outputurl resulturl fileurl signedurl mediaurl uri src href urls outputurls resulturls';
const base64 = 'b64json b64 base64';
const containers =
  'data result results output outputs response generations artifacts files file assets media content items task ' +
  'taskresult';

const placesOf = (kind: MediaKind): Places => ({
  kind,
  addresses: `${kind}url ${kind}urls ${kind}uri ${addresses}`.split(' '),
  base64: `${base64} ${kind}base64 ${kind}b64`.split(' '),
  containers: `${kind} ${kind}s generated${kind}s ${containers}`.split(' '),
});
const places: Record<MediaKind, Places> = { image: placesOf('image'), video: placesOf('video') };

const deepest = 6;
const most = 16;

/** The results in a task or an answer, wherever they are; at most 16, each once. */
export function findMedia(value: unknown, kind: MediaKind): MediaResult[] {
  const found = new Map<unknown, MediaResult>();
  look(value, 'container', places[kind], found, 0);
  return [...found.values()];
}

type Place = 'container' | 'address' | 'base64';

function look(
  value: unknown,
  place: Place,
  wanted: Places,
  found: Map<unknown, MediaResult>,
  depth: number,
): void {
  if (depth > deepest || found.size >= most) return;
  if (typeof value === 'string') keep(value, place, found);
  else if (value instanceof Uint8Array) found.set(value, fromBytes(value));
  else if (Array.isArray(value))
    for (const entry of ofWantedKind(value.slice(0, most), wanted.kind))
      look(entry, place, wanted, found, depth + 1);
  else if (isObject(value)) lookInto(value, wanted, found, depth);
}

function lookInto(value: JsonObject, wanted: Places, found: Map<unknown, MediaResult>, depth: number): void {
  const before = found.size;
  const fields = plainFields(value);
  for (const [names, next] of [
    [wanted.base64, 'base64'],
    [wanted.addresses, 'address'],
    [wanted.containers, 'container'],
  ] as const) {
    for (const name of names) {
      look(fields.get(name), next, wanted, found, depth + 1);
      // One object is one result: its other names say the same again.
      if (next !== 'container' && found.size > before) return;
    }
  }
}

function keep(text: string, place: Place, found: Map<unknown, MediaResult>): void {
  const key = `${text.length} ${text.slice(0, 2_048)}`;
  if (found.has(key)) return;
  const file = decodeBase64(text, place === 'base64' || beginsLikeFile(text) ? 'plain too' : 'data URL');
  const media = file ? fromBytes(file.bytes, file.type) : fromAddress(text);
  if (media) found.set(key, media);
}

/** Base64 where an address or an object was expected: only if its first bytes are those of a known file. */
function beginsLikeFile(text: string): boolean {
  if (!/^[A-Za-z0-9+/]{64}/.test(text)) return false;
  return mediaType(Buffer.from(text.slice(0, 96), 'base64')) !== undefined;
}

function fromBytes(bytes: Uint8Array, type?: string): MediaResult {
  return { kind: 'bytes', bytes, contentType: mediaType(bytes) ?? type };
}

function fromAddress(text: string): MediaResult | undefined {
  if (/^https?:\/\//i.test(text)) return URL.canParse(text) ? { kind: 'url', url: text } : undefined;
  // A path on the service's own host.
  return /^\/[^/\s]\S*$/.test(text) ? { kind: 'url', url: text } : undefined;
}
