import { memoize } from '../../lib/bounded-map.ts';
import type { Person } from './command.ts';

const pattern = /<t:(\d{1,12}):f>/g;

/** Making one takes a millisecond. */
const formatOf = memoize(200, (key) => {
  const [locale, timeZone] = key.split(' ');
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone });
});

/**
 * A timestamp in a person's own time zone. If that isn't known, it's in Discord's format, which every reader sees in
 * theirs; other platforms apply `showMoments` to what they post.
 */
export function timestampFor(
  { locale, timeZone }: Pick<Person, 'locale' | 'timeZone'>,
  moment: number,
): string {
  if (timeZone === undefined) return `<t:${Math.floor(moment / 1000)}:f>`;
  return formatOf(`${locale} ${timeZone}`).format(moment);
}

/** A text with the moments in it as everybody reads them: `2026-11-21 00:00 UTC`. */
export function spellOutTimestamps(text: string): string {
  return text.replace(pattern, (_, seconds: string) => {
    const iso = new Date(Number(seconds) * 1000).toISOString();
    return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
  });
}
