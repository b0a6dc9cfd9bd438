import { isTextType } from './media-type.ts';

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
