/** The requested kind of result. */
export type MediaKind = 'image' | 'video';

/**
 * How an entry of a response is labelled: as the requested kind, not at all, as another kind (which its bytes may
 * disprove), or as an accessory of a result: a cover, a thumbnail, subtitles.
 */
export type Claim = 'wanted' | 'none' | 'other' | 'beside';

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
export function declaredClaim(fields: ReadonlyMap<string, unknown>, kind: MediaKind): Claim | undefined {
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
export function addressClaim(address: unknown, kind: MediaKind): Claim {
  if (typeof address !== 'string') return 'none';
  if (address.startsWith('data:')) return typeClaim(address.slice(5, 64), kind);
  if (address.length > 8_192) return 'none';
  const [path = ''] = address.split(/[?#]/, 1);
  if (endings[kind].test(path)) return 'wanted';
  if (besideEndings.test(path)) return 'beside';
  return endings[otherThan(kind)].test(path) || otherEndings.test(path) ? 'other' : 'none';
}

/** The kind from a media type, ideally one detected from a file's first bytes. */
export function typeClaim(contentType: string | undefined, kind: MediaKind): Claim {
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
