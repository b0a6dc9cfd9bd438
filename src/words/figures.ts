import { memoize } from '../lib/bounded-map.ts';
import { textFiles, type TextsOfFiles } from '../lib/text-files.ts';
import { asCode } from '../lib/text.ts';
import { type Locale, type OptionFault, paidCommandNames } from '../port/index.ts';
import type { CreditRange } from '../service-rules/prices.ts';

/** Formats a number of bytes for people: `9.5 MiB`. */
export function bytesInWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const [size, unit] = bytes < 1024 ** 2 ? [bytes / 1024, 'KiB'] : [bytes / 1024 ** 2, 'MiB'];
  return `${size >= 10 ? Math.round(size) : size.toFixed(1)} ${unit}`;
}

/**
 * Formats credits for people: `1,240` or `0.4–2.6`, with three or fewer significant decimals. What's left of a budget is
 * rounded down: it never looks like enough for what it doesn't allow.
 */
export function creditsInWords(credits: CreditRange | number, locale: Locale, round?: 'floor'): string {
  if (typeof credits === 'number') return figure(credits, locale, round);
  const { low, high } = credits;
  const [from, to] = [figure(low, locale), figure(high, locale)];
  return from === to ? to : `${from}–${to}`;
}

function figure(credits: number, locale: Locale, round = 'halfExpand'): string {
  // Sums of millionths are a little off.
  const exact = Math.round(credits * 1e6) / 1e6;
  if (exact !== 0 && exact < 1) return formatOf(`${locale} ${round} significant 3`).format(exact);
  const digits = exact < 100 ? 2 : exact < 10_000 ? 1 : 0;
  return formatOf(`${locale} ${round} fraction ${digits}`).format(exact);
}

const formatOf = memoize(20, (key) => {
  const [locale, roundingMode, kind, digits] = key.split(' ');
  return new Intl.NumberFormat(locale, {
    roundingMode: roundingMode as 'floor' | 'halfExpand',
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

/** File names that a note lists. */
const maxNames = 5;

const en = {
  cannotOpen: (names: string) => `I only read text files, so I can’t open ${names}.`,
  cannotRead: (names: string, count: number, limit: string) =>
    `I couldn’t read ${names}. I read up to ${count} text files of at most ${limit} each.`,
};
const sentences: Readonly<Record<Locale, typeof en>> = {
  en,
  'zh-CN': {
    cannotOpen: (names) => `我只能读文本文件，打不开 ${names}。`,
    cannotRead: (names, count, limit) =>
      `我没能读取 ${names}。我最多读 ${count} 个文本文件，每个不超过 ${limit}。`,
  },
};

/** Lines about files that came with a question and couldn’t be read. */
export function fileNotes(
  { unseen, unread }: Pick<TextsOfFiles, 'unseen' | 'unread'>,
  locale: Locale,
): readonly string[] {
  const { cannotOpen, cannotRead } = sentences[locale];
  return [
    ...(unseen.length > 0 ? [cannotOpen(nameList(unseen))] : []),
    ...(unread.length > 0
      ? [cannotRead(nameList(unread), textFiles.count, bytesInWords(textFiles.bytes))]
      : []),
  ];
}

/** The first names, as code, so that nothing in them counts as Markdown. */
function nameList(names: readonly string[]): string {
  const some = names.slice(0, maxNames).map((name) => asCode(name, 60));
  return [...some, ...(names.length > maxNames ? ['…'] : [])].join(', ');
}

/** Commands that change what's chosen. */
const changing: readonly string[] = ['settings', 'me'];

/** Faults of a command that are told one by one: more would be many messages. */
const mostFaults = 5;

/** What's wrong with a command, each fault in its own words, and how many more there are. */
export function faultsInWords(
  faults: readonly OptionFault[],
  ofFault: (fault: OptionFault) => string,
  more: (count: number) => string,
): readonly string[] {
  const untold = faults.length - mostFaults;
  return [...faults.slice(0, mostFaults).map(ofFault), ...(untold > 0 ? [more(untold)] : [])];
}

/** What didn't happen because a command was refused: credits are none of those that cost nothing. */
export function undone(command: string, unspent: string, unchanged: string): readonly string[] {
  if (paidCommandNames.some((paid) => paid === command)) return [unspent];
  return changing.includes(command) ? [unchanged] : [];
}
