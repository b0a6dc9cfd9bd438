import { isObject, type JsonObject, plainFields } from '../read.ts';
import { decodeBase64 } from './long-base64.ts';
import { addressClaim, type Claim, declaredClaim, type MediaKind, typeClaim } from './media-kind.ts';
import { mediaType } from './media-type.ts';

/** A finished image or video: an address to fetch it from with `client.download`, or its bytes. */
export type MediaResult =
  | { kind: 'url'; url: string }
  | { kind: 'bytes'; bytes: Uint8Array; contentType: string | undefined };

/** What an answer holds. */
export interface FoundMedia {
  /** What may be the result, the surest first: at most 16, each once. */
  results: MediaResult[];
  /**
   * Set where the answer holds nothing but what says it's something else, as a cover beside a film. Those of them whose
   * bytes may prove otherwise; none where a cover or a thumbnail is all there is.
   */
  others?: MediaResult[];
}

/**
 * Where services put results, the surest first, in names of any spelling; what is not listed (covers, inputs,
 * links) is no result.
 */
interface Places {
  base64: readonly string[];
  /** Named after what is looked for: surer than an address that may be its cover's. */
  named: readonly string[];
  addresses: readonly string[];
  containers: readonly string[];
}

const base64 = 'b64json b64 base64';
const addresses =
  'url downloadurl outputurl resulturl fileurl signedurl mediaurl uri src href urls outputurls resulturls';
const containers =
  'data result results output outputs response generations artifacts files file assets media content items task ' +
  'taskresult';

const placesOf = (kind: MediaKind): Places => ({
  base64: `${base64} ${kind}base64 ${kind}b64`.split(' '),
  named: `${kind}url ${kind}urls ${kind}uri ${kind} ${kind}s generated${kind}s`.split(' '),
  addresses: addresses.split(' '),
  containers: containers.split(' '),
});
const places: Record<MediaKind, Places> = { image: placesOf('image'), video: placesOf('video') };

const deepest = 6;
const most = 16;

/**
 * The results in a task or an answer, wherever they are: those that say they're of the kind come first. Of an object
 * with several addresses the others come last, for where the first proves to be of another kind.
 */
export function findMedia(value: unknown, kind: MediaKind): FoundMedia {
  const search = new Search(kind);
  search.look(value, { depth: 0 });
  const saying = (claim: Claim, spare = false) =>
    search.found.filter((one) => one.claim === claim && one.spare === spare).map(({ media }) => media);
  const first = [...saying('wanted'), ...saying('none')];
  const results = [...first, ...saying('wanted', true), ...saying('none', true)];
  if (results.length > 0 || search.found.length === 0) return { results };
  return { results, others: [...saying('other'), ...saying('other', true)] };
}

interface Place {
  readonly depth: number;
  /** What is around it says it is. */
  readonly claim?: Claim | undefined;
  readonly isBase64?: boolean;
  /** Whether it is one of a list, so that what it says of itself holds for all in it. */
  readonly isEntry?: boolean;
  /** What the same object has had before it. */
  readonly after?: Before | undefined;
}

/** An address that says nothing gives way to one that says it's of the kind; what is named after the kind never does. */
type Before = 'an address' | 'what is named';

interface Found {
  readonly media: MediaResult;
  readonly claim: Claim;
  /** Whether it's only for where what its object had before is none. */
  readonly spare: boolean;
}

class Search {
  readonly found: Found[] = [];
  /** How many show by themselves that they're of the kind, as by how their address ends. */
  #proven = 0;
  readonly #seen = new Set<unknown>();
  readonly #kind: MediaKind;

  constructor(kind: MediaKind) {
    this.#kind = kind;
  }

  look(value: unknown, place: Place): void {
    if (place.depth > deepest || this.found.length >= most) return;
    const depth = place.depth + 1;
    if (typeof value === 'string') this.#keep(value, place);
    else if (value instanceof Uint8Array) this.#add(value, fromBytes(value), place);
    else if (Array.isArray(value))
      for (const entry of value.slice(0, most)) this.look(entry, { ...place, depth, isEntry: true });
    else if (isObject(value)) this.#lookInto(value, place);
  }

  #lookInto(value: JsonObject, { depth, claim, isEntry = false, after: around }: Place): void {
    const [proven, usable] = [this.#proven, this.#usable];
    let after = around;
    const fields = plainFields(value);
    const { base64, named, addresses, containers } = places[this.#kind];
    const declared = declaredClaim(fields, this.#kind) ?? claim;
    // What is named after the kind is of it, whatever its record says; but the video of a cover is a cover.
    const ofNamed = declared === 'beside' ? declared : undefined;
    for (const [names, inner] of [
      [base64, { claim: declared, isBase64: true }],
      [named, { claim: ofNamed }],
      [addresses, { claim: declared }],
      // What a record says of itself says nothing of each of several files in it.
      [containers, { claim: isEntry ? declared : claim }],
    ] as const) {
      for (const name of names) {
        this.look(fields.get(name), { ...inner, depth: depth + 1, after });
        if (names === containers) continue;
        // One object is one result: its other names say the same again.
        if (this.#proven > proven) return;
        // Unless that was its cover, which nothing shows yet.
        if (this.#usable > usable && after !== 'what is named')
          after = names === addresses && declared !== 'wanted' ? 'an address' : 'what is named';
      }
    }
  }

  /** How many may be the result, as far as is known. */
  get #usable(): number {
    return this.found.filter(({ claim }) => claim === 'wanted' || claim === 'none').length;
  }

  #keep(text: string, place: Place): void {
    const key = `${text.length} ${text.slice(0, 2_048)}`;
    const file = decodeBase64(text, place.isBase64 || beginsLikeFile(text) ? 'plain too' : 'data URL');
    const media = file ? fromBytes(file.bytes, file.type) : fromAddress(text);
    if (media) this.#add(key, media, place);
  }

  #add(key: unknown, media: MediaResult, { claim: around, after }: Place): void {
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const own =
      media.kind === 'bytes' ? typeClaim(media.contentType, this.#kind) : addressClaim(media.url, this.#kind);
    const claim = claimOf(media, own, around);
    const isProven = claim === 'wanted' && own === 'wanted';
    const spare = after === 'what is named' || (after === 'an address' && !isProven);
    if (isProven && !spare) this.#proven += 1;
    this.found.push({ media, claim, spare });
  }
}

/** Bytes are what they are; an address ends as what it is, unless what is around it knows better. */
function claimOf(media: MediaResult, own: Claim, around: Claim | undefined): Claim {
  if (around === 'beside') return around;
  if (own === 'none') return around ?? own;
  if (media.kind === 'bytes' || own !== 'wanted') return own;
  return around ?? own;
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
