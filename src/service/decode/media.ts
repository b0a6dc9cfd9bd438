import { isObject, type JsonObject, plainFields } from './answer.ts';
import { decodeBase64 } from './long-base64.ts';
import {
  addressClaim,
  type Claim,
  declaredClaim,
  type MediaKind,
  mediaType,
  typeClaim,
} from './media-type.ts';

/** A finished image or video: a URL to fetch with `client.download`, or its bytes. */
export type MediaResult =
  | { kind: 'url'; url: string }
  | { kind: 'bytes'; bytes: Uint8Array; contentType: string | undefined };

/** The media found in a response. */
export interface FoundMedia {
  /** Possible results, most likely first: at most 16, without duplicates. */
  results: MediaResult[];
  /**
   * Set if everything in the response is labelled as something else, such as a video's cover. The entries whose bytes
   * may prove otherwise; empty if there is only a cover or a thumbnail.
   */
  others?: MediaResult[];
}

/**
 * Where services put results, most likely first, in any spelling; anything else (covers, inputs, links) isn't a
 * result.
 */
interface Places {
  base64: readonly string[];
  /** Named after the requested kind: more reliable than a URL that may be its cover's. */
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
 * Finds the results anywhere in a task or response, those labelled as the requested kind first. If an object has
 * several URLs, the others come last, in case the first turns out to be of another kind.
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
  /** What its context says about its kind. */
  readonly claim?: Claim | undefined;
  readonly isBase64?: boolean;
  /** Whether it is one of a list, so that its own label applies to all its contents. */
  readonly isEntry?: boolean;
  /** Earlier entries from the same object. */
  readonly after?: Before | undefined;
}

/** An unlabelled URL gives way to one labelled as the requested kind; an entry named after the kind never does. */
type Before = 'an address' | 'what is named';

interface Found {
  readonly media: MediaResult;
  readonly claim: Claim;
  /** Whether it only counts if earlier entries of its object aren't results. */
  readonly spare: boolean;
}

class Search {
  readonly found: Found[] = [];
  /** How many are recognizable as the requested kind by themselves, for example by their URL's extension. */
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
    // An entry named after the kind is of that kind, whatever its record says; but the video of a cover is a cover.
    const ofNamed = declared === 'beside' ? declared : undefined;
    for (const [names, inner] of [
      [base64, { claim: declared, isBase64: true }],
      [named, { claim: ofNamed }],
      [addresses, { claim: declared }],
      // A record's own label doesn't apply to each of several files in it.
      [containers, { claim: isEntry ? declared : claim }],
    ] as const) {
      for (const name of names) {
        this.look(fields.get(name), { ...inner, depth: depth + 1, after });
        if (names === containers) continue;
        // One object is one result: its other names repeat it.
        if (this.#proven > proven) return;
        // Unless the first one was a cover that isn't recognizable yet.
        if (this.#usable > usable && after !== 'what is named')
          after = names === addresses && declared !== 'wanted' ? 'an address' : 'what is named';
      }
    }
  }

  /** Number of possible results, as far as is known. */
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

/** Bytes are identified by their content; a URL by its extension, unless its context says otherwise. */
function claimOf(media: MediaResult, own: Claim, around: Claim | undefined): Claim {
  if (around === 'beside') return around;
  if (own === 'none') return around ?? own;
  if (media.kind === 'bytes' || own !== 'wanted') return own;
  return around ?? own;
}

/** Base64 in place of a URL or an object: only if its first bytes are those of a known file type. */
function beginsLikeFile(text: string): boolean {
  if (!/^[A-Za-z0-9+/]{64}/.test(text)) return false;
  return mediaType(Buffer.from(text.slice(0, 96), 'base64')) !== undefined;
}

function fromBytes(bytes: Uint8Array, type?: string): MediaResult {
  return { kind: 'bytes', bytes, contentType: mediaType(bytes) ?? type };
}

function fromAddress(text: string): MediaResult | undefined {
  if (/^https?:\/\//i.test(text)) return URL.canParse(text) ? { kind: 'url', url: text } : undefined;
  // A path on the service's host.
  return /^\/[^/\s]\S*$/.test(text) ? { kind: 'url', url: text } : undefined;
}
