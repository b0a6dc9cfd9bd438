import { extname } from 'node:path';

/** What files are by their ends, those that commands take and that the model is told of. */
const typesByEnd: Readonly<Record<string, string>> = {
  ...{ png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp' },
  ...{ heic: 'image/heic', avif: 'image/avif' },
  ...{ mp4: 'video/mp4', m4v: 'video/mp4', mov: 'video/quicktime', webm: 'video/webm' },
  ...{ mp3: 'audio/mpeg', wav: 'audio/wav', m4a: 'audio/mp4', ogg: 'audio/ogg', flac: 'audio/flac' },
};

/** The type of a file whose platform doesn't tell it, by the end of its name; empty if that says nothing. */
export function typeByName(name: string): string {
  const end = extname(name).slice(1).toLowerCase();
  // A name may end in a word that every object has a field of.
  return Object.hasOwn(typesByEnd, end) ? (typesByEnd[end] ?? '') : '';
}
