import type { MediaKind } from './media.ts';
import { anyText, plainFields } from './read.ts';

const endings: Record<MediaKind, RegExp> = {
  image: /\.(?:png|jpe?g|webp|gif|avif|heic)$/i,
  video: /\.(?:mp4|m4v|mov|webm|mkv)$/i,
};
const declaredNames = ['type', 'kind', 'mediatype', 'mimetype', 'contenttype', 'filetype', 'format', 'role'];
const besides = /^(?:cover|thumb|poster|preview|audio|text|json|subtitle|caption)/i;

/**
 * The entries of a list of outputs that are what is looked for: a video's list may name its cover beside it. Those
 * that say they are of the kind, by a field or by how their address ends; else those that say nothing; else all.
 */
export function ofWantedKind(entries: readonly unknown[], kind: MediaKind): readonly unknown[] {
  const claims = entries.map((entry) => claimOf(entry, kind));
  const best = (['wanted', 'none', 'other'] as const).find((claim) => claims.includes(claim));
  return entries.filter((_, index) => claims[index] === best);
}

function claimOf(entry: unknown, kind: MediaKind): 'wanted' | 'none' | 'other' {
  const other = kind === 'image' ? 'video' : 'image';
  for (const word of declaredNames.map((name) => anyText(entry, name))) {
    if (word === undefined) continue;
    // "output_video", "video/mp4" and "VIDEO" are videos, "cover_image" is a cover.
    if (besides.test(word)) return 'other';
    const says = (one: MediaKind) => word.toLowerCase().includes(one) || endings[one].test(`.${word}`);
    if (says(kind)) return 'wanted';
    if (says(other)) return 'other';
  }
  const addresses = typeof entry === 'string' ? [entry] : [...plainFields(entry).values()];
  const ends = (one: MediaKind) => addresses.some((address) => endsAs(address, one));
  if (ends(kind)) return 'wanted';
  return ends(other) ? 'other' : 'none';
}

function endsAs(address: unknown, kind: MediaKind): boolean {
  if (typeof address !== 'string' || address.length > 8_192) return false;
  if (address.startsWith('data:')) return address.startsWith(`data:${kind}/`);
  return endings[kind].test(address.split(/[?#]/, 1)[0] ?? '');
}
