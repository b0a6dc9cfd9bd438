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
