import { beginningOf, shortened } from '../lib/text.ts';
/** A person's text as a Markdown quote, cut at `maxLength` characters: those that make it a quote count, too. */
export function quoted(text: string, maxLength = 1_000): string {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`);
  return shortened(lines.join('\n'), maxLength).replace(/\n>…$/, '…');
}

/** The beginning of a text on one line, for a title. */
export function titleOf(text: string, maxLength: number): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  if (line.length <= maxLength) return line;
  const cut = beginningOf(line, maxLength - 1);
  const lastSpace = cut.lastIndexOf(' ');
  return `${(lastSpace > maxLength / 2 ? cut.slice(0, lastSpace) : cut).trimEnd()}…`;
}

/** 0.42 as `42 %`. */
export function percent(fraction: number | undefined): string | undefined {
  return fraction === undefined ? undefined : `${Math.floor(fraction * 100)} %`;
}
