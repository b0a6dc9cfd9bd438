import { randomBytes } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** 22 random characters of `[A-Za-z0-9_-]`, 132 bits: conversation ids and job ids. */
export function randomId(): string {
  let id = '';
  for (const byte of randomBytes(22)) id += alphabet[byte % 64];
  return id;
}

/** A text of at most so many UTF-16 units, cut between two characters where it's longer. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${beginningOf(text, most - 1).trimEnd()}…` : text;
}

/** The first UTF-16 units of a text, at most so many; a character that takes two, such as an emoji, stays whole. */
export function beginningOf(text: string, most: number): string {
  return text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
}

/** How deep components are in each other, at most. */
const deepest = 8;

/** Whether one of a message's components, however deep, has this id under that name. */
export function holdsId(components: unknown, name: string, id: string, depth = 0): boolean {
  if (typeof components !== 'object' || components === null || depth > deepest) return false;
  return Object.entries(components).some(
    ([key, value]) => (key === name && value === id) || holdsId(value, name, id, depth + 1),
  );
}

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
