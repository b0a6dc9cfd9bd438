import { readFileSync } from 'node:fs';

/** How often a file of tests, by its path in the project, has the words by which a page names a test: once, or the page names none. */
export function timesIn(file: string, words: string): number {
  const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8').replaceAll("\\'", "'");
  return source.split(words).length - 1;
}
