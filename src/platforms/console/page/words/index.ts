import type { Locale } from '../../../../port/locale.ts';
import { controlEnglish, type ControlWords, english, type PageWords } from './en.ts';
import { chinese, controlChinese } from './zh.ts';

const storageKey = 'troupe.locale';

/** The page's language: the person's choice, else the browser's. */
export const locale: Locale = chosenLocale();

/** The page's texts in its language. */
export const strings: PageWords = locale === 'zh-CN' ? chinese : english;

/** The control room's texts in the page's language. */
export const say: ControlWords = locale === 'zh-CN' ? controlChinese : controlEnglish;

/** Switches the language and reloads the page. */
export function switchLocale(to: Locale): void {
  localStorage.setItem(storageKey, to);
  location.reload();
}

function chosenLocale(): Locale {
  const tag = localStorage.getItem(storageKey) ?? navigator.language;
  return tag.toLowerCase().startsWith('zh') ? 'zh-CN' : 'en';
}

const time = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(locale, { weekday: 'long', month: 'long', day: 'numeric' });
const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'medium' });
const figure = new Intl.NumberFormat(locale);

/** Formats a time of day: `14:05`. */
export const formatTime = (at: number): string => time.format(at);

/** Formats a time of day with seconds: `14:05:09`. */
export const formatClock = (at: number): string => clock.format(at);

/** Formats a date and time in full. */
export const formatDateTime = (at: number): string => moment.format(at);

/** Formats a number with separators. */
export const formatNumber = (value: number): string => figure.format(value);

/** Formats a day: today, yesterday, or its date. */
export function formatDay(at: number): string {
  const age = startOfDay(Date.now()) - startOfDay(at);
  if (age <= 0) return strings.today;
  // A day with a clock change has 23 or 25 hours.
  return age < 36 * 60 * 60 * 1000 ? strings.yesterday : day.format(at);
}

/** Whether two times are on the same local day. */
export function sameDay(one: number, other: number): boolean {
  return startOfDay(one) === startOfDay(other);
}

/** Formats a duration: `0:07` or `12:40`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** Formats a size: `9.5 MiB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const [size, unit] = bytes < 1024 ** 2 ? [bytes / 1024, 'KiB'] : [bytes / 1024 ** 2, 'MiB'];
  return `${size >= 10 ? Math.round(size) : size.toFixed(1)} ${unit}`;
}

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
