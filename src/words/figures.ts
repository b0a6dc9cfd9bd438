import { memoize } from '../lib/memoize.ts';
import type { Locale } from '../port/index.ts';
import type { CreditRange } from '../service-rules/prices.ts';

/** Formats a number of bytes for people: `9.5 MiB`. */
export function bytesInWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const [size, unit] = bytes < 1024 ** 2 ? [bytes / 1024, 'KiB'] : [bytes / 1024 ** 2, 'MiB'];
  return `${size >= 10 ? Math.round(size) : size.toFixed(1)} ${unit}`;
}

/** Formats credits for people: `1,240` or `0.4–2.6`, with three or fewer significant decimals. */
export function creditsInWords({ low, high }: CreditRange, locale: Locale): string {
  const [from, to] = [figure(low, locale), figure(high, locale)];
  return from === to ? to : `${from}–${to}`;
}

function figure(credits: number, locale: Locale): string {
  if (credits !== 0 && credits < 1) return formatOf(`${locale} significant 3`).format(credits);
  const digits = credits < 100 ? 2 : credits < 10_000 ? 1 : 0;
  return formatOf(`${locale} fraction ${digits}`).format(credits);
}

const formatOf = memoize(10, (key) => {
  const [locale, kind, digits] = key.split(' ');
  return new Intl.NumberFormat(locale, {
    [kind === 'fraction' ? 'maximumFractionDigits' : 'maximumSignificantDigits']: Number(digits),
  });
});

/** Formats a duration for people: `8 s`, `2 min 05 s`, `3 h 07 min`. */
export function spanInWords(milliseconds: number, locale: Locale): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const [second, minute, hour] = locale === 'zh-CN' ? ['秒', '分', '小时'] : ['s', 'min', 'h'];
  if (seconds < 60) return `${seconds} ${second}`;
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60)
    return `${Math.floor(minutes / 60)} ${hour} ${String(minutes % 60).padStart(2, '0')} ${minute}`;
  return `${minutes} ${minute} ${String(seconds % 60).padStart(2, '0')} ${second}`;
}
