import { decodeBase64, isObject, type JsonObject, plainFields } from './answer.ts';

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
  /** Addresses named after the requested kind: more reliable than a URL that may be its cover's. */
  namedAddress: RegExp;
  /** The same of what else is named after it. */
  named: readonly string[];
  addresses: readonly string[];
  containers: readonly string[];
}

const base64 = 'b64json b64 base64';
const addresses =
  'url downloadurl outputurl resulturl fileurl signedurl mediaurl uri src href urls outputurls resulturls';
const containers =
  'data result results output outputs response generations creations artifacts files file assets media content items ' +
  'task taskresult';

const placesOf = (kind: MediaKind): Places => ({
  base64: `${base64} ${kind}base64 ${kind}b64`.split(' '),
  namedAddress: new RegExp(
    `^(?:output|result|generated|final|download)?${kind}(?:download|output|result)?ur[li]s?$`,
  ),
  named: `${kind} ${kind}s ${kind}result generated${kind}s`.split(' '),
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
    const { base64, namedAddress, named, addresses, containers } = places[this.#kind];
    const namedAddresses = [...fields.keys()].filter((name) => namedAddress.test(name));
    const declared = declaredClaim(fields, this.#kind) ?? claim;
    // An entry named after the kind is of that kind, whatever its record says; but the video of a cover is a cover.
    const ofNamed = declared === 'beside' ? declared : undefined;
    for (const [names, inner] of [
      [base64, { claim: declared, isBase64: true }],
      [[...namedAddresses, ...named], { claim: ofNamed }],
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

  #keep(given: string, place: Place): void {
    const text = given.trim();
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

/** The requested kind of result. */
export type MediaKind = 'image' | 'video';

/**
 * How an entry of a response is labelled: as the requested kind, not at all, as another kind (which its bytes may
 * disprove), or as an accessory of a result: a cover, a thumbnail, subtitles.
 */
type Claim = 'wanted' | 'none' | 'other' | 'beside';

const endings: Record<MediaKind, RegExp> = {
  image: /\.(?:png|jpe?g|webp|gif|avif|heic)$/i,
  video: /\.(?:mp4|m4v|mov|webm|mkv)$/i,
};
const otherEndings = /\.(?:mp3|wav|m4a|aac|flac|ogg|opus|json|txt|xml|html?|pdf|zip)$/i;
const besideEndings = /\.(?:srt|vtt)$/i;

const declaredNames =
  'type kind mediatype mimetype mime contenttype filetype format role label purpose usage'.split(' ');
const fileNames = ['name', 'filename'];
const roles = /^(?:cover|thumb|poster|preview|subtitle|caption)/i;
const otherWords = /^(?:audio|sound|music|text|json|html|xml|pdf|zip)/i;
/** A sentence isn't the name of a kind. */
const isName = /^[^\s;]+(?:;.*)?$/;

/** An object's kind from its fields, by normalized name; undefined if no field tells. */
function declaredClaim(fields: ReadonlyMap<string, unknown>, kind: MediaKind): Claim | undefined {
  const words = declaredNames
    .map((name) => fields.get(name))
    .filter((word) => typeof word === 'string')
    .filter((word) => isName.test(word))
    .map(made);
  // "cover_image" is a cover, whatever its type.
  if (words.some((word) => roles.test(word))) return 'beside';
  const files = fileNames.map((name) => addressClaim(fields.get(name), kind));
  return [...words.map((word) => wordClaim(word, kind)), ...files].find((claim) => claim !== 'none');
}

/** The kind from a URL's extension, or a data URL's type. */
function addressClaim(address: unknown, kind: MediaKind): Claim {
  if (typeof address !== 'string') return 'none';
  if (address.startsWith('data:')) return typeClaim(address.slice(5, 64), kind);
  if (address.length > 8_192) return 'none';
  const [path = ''] = address.split(/[?#]/, 1);
  if (endings[kind].test(path)) return 'wanted';
  if (besideEndings.test(path)) return 'beside';
  return endings[otherThan(kind)].test(path) || otherEndings.test(path) ? 'other' : 'none';
}

/** The kind from a media type, ideally one detected from a file's first bytes. */
function typeClaim(contentType: string | undefined, kind: MediaKind): Claim {
  const type = contentType?.toLowerCase() ?? '';
  if (type.startsWith(`${kind}/`)) return 'wanted';
  const isOther = /^(?:image|video|audio|font)\//.test(type) || isTextType.test(type);
  return isOther || /^application\/(?:pdf|zip)\b/.test(type) ? 'other' : 'none';
}

/** Whether a file is certainly not of the requested kind, by its media type: a cover instead of the video. */
export function isOfOtherKind(contentType: string | undefined, kind: MediaKind): boolean {
  return typeClaim(contentType, kind) === 'other';
}

/** "output_video", "video/mp4", "VIDEO" and "mp4" are videos. */
function wordClaim(word: string, kind: MediaKind): Claim {
  if (otherWords.test(word)) return 'other';
  const says = (one: MediaKind) => word.toLowerCase().includes(one) || endings[one].test(`.${word}`);
  if (says(kind)) return 'wanted';
  return says(otherThan(kind)) ? 'other' : typeClaim(word, kind);
}

/** The output of a conversion: "text_to_video" is a video. */
function made(word: string): string {
  return word.replace(/^.*(?:[-_]to[-_]|[a-z]To(?=[A-Z])|2(?=video|image))/, '');
}

function otherThan(kind: MediaKind): MediaKind {
  return kind === 'image' ? 'video' : 'image';
}

const ascii = (bytes: Uint8Array, start: number, text: string): boolean =>
  [...text].every((character, index) => bytes[start + index] === character.charCodeAt(0));

/** How many bytes of a file {@link mediaType} reads. */
export const mediaTypeBytes = 64;

/** Media types of text: servers may return a page instead of a file, or an error without its status. */
export const isTextType = /^(?:text\/|application\/(?:[^;]*\+)?(?:json|xml)\b)/i;

/** Whether bytes of no known media type are a page, or an error as JSON or XML, whatever they're called. */
export function beginsLikeText(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, mediaTypeBytes)).toString('latin1');
  return mediaType(bytes) === undefined && /^\s*(?:<[!?a-z]|\{\s*["}])/i.test(start);
}

/**
 * Detects the media type from a file's first bytes, for the types the service makes: PNG, JPEG, WebP, GIF, AVIF,
 * HEIC; MP4, QuickTime, WebM; MP3, WAV, Ogg with Opus or Vorbis, FLAC, AAC. `undefined` for anything else.
 */
export function mediaType(bytes: Uint8Array): string | undefined {
  return imageType(bytes) ?? containerType(bytes) ?? audioType(bytes);
}

function imageType(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0x89 && ascii(bytes, 1, 'PNG\r\n')) return 'image/png';
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'image/jpeg';
  if (ascii(bytes, 0, 'GIF8')) return 'image/gif';
  if (ascii(bytes, 0, 'RIFF') && ascii(bytes, 8, 'WEBP')) return 'image/webp';
  return undefined;
}

/** Images in the same container as MP4. */
const heifBrands = ['hei', 'hev', 'mif1', 'msf1'];

function containerType(bytes: Uint8Array): string | undefined {
  if (ascii(bytes, 0, '\x1a\x45')) return bytes[2] === 0xdf && bytes[3] === 0xa3 ? 'video/webm' : undefined;
  if (!ascii(bytes, 4, 'ftyp')) return undefined;
  if (ascii(bytes, 8, 'avi')) return 'image/avif';
  if (heifBrands.some((brand) => ascii(bytes, 8, brand))) return 'image/heic';
  if (ascii(bytes, 8, 'M4A')) return 'audio/mp4';
  return ascii(bytes, 8, 'qt  ') ? 'video/quicktime' : 'video/mp4';
}

function audioType(bytes: Uint8Array): string | undefined {
  if (ascii(bytes, 0, 'RIFF') && ascii(bytes, 8, 'WAVE')) return 'audio/wav';
  if (ascii(bytes, 0, 'OggS')) return oggType(bytes);
  if (ascii(bytes, 0, 'ID3')) return 'audio/mpeg';
  if (ascii(bytes, 0, 'fLaC')) return 'audio/flac';
  const [first = 0, second = 0] = bytes;
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
  // Frames of both start with ones; two bits give the layer, which is zero for AAC.
  return (second & 0x06) === 0 ? 'audio/aac' : 'audio/mpeg';
}

/** The first page of an Ogg file has a 27-byte header, a segment table, and then the codec's name. */
function oggType(bytes: Uint8Array): string {
  const start = 27 + (bytes[26] ?? 0);
  if (ascii(bytes, start, 'OpusHead')) return 'audio/ogg; codecs=opus';
  return ascii(bytes, start + 1, 'vorbis') ? 'audio/ogg; codecs=vorbis' : 'audio/ogg';
}
