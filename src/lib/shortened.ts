/** A text of at most so many UTF-16 units, cut between two characters where it's longer. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${beginningOf(text, most - 1).trimEnd()}…` : text;
}

/** The first UTF-16 units of a text, at most so many; a character that takes two, such as an emoji, stays whole. */
export function beginningOf(text: string, most: number): string {
  return text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
}
