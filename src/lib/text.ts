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
