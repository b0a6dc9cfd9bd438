import type { Locale } from '../port/index.ts';

/** Bytes as people read them: `9.5 MiB`. */
export function bytesInWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const [size, unit] = bytes < 1024 ** 2 ? [bytes / 1024, 'KiB'] : [bytes / 1024 ** 2, 'MiB'];
  return `${size >= 10 ? Math.round(size) : size.toFixed(1)} ${unit}`;
}

/** A span of time as people read it: `8 s`, `2 min 05 s`. */
export function spanInWords(milliseconds: number, locale: Locale): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const [second, minute] = locale === 'zh-CN' ? ['秒', '分'] : ['s', 'min'];
  if (seconds < 60) return `${seconds} ${second}`;
  return `${Math.floor(seconds / 60)} ${minute} ${String(seconds % 60).padStart(2, '0')} ${second}`;
}
