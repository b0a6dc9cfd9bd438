import { gapAt, isEmpty } from './markdown/gap.ts';
import { renderMessage } from './markdown/render.ts';
import { Scan } from './markdown/scan.ts';

/**
 * The part of a finished Markdown message after its first `from` characters, reopened so that it renders on its own;
 * for when its start is shown elsewhere. Empty if nothing is left to show.
 */
export function markdownAfter(text: string, from: number): string {
  const rest = text.slice(from);
  const gap = gapAt(rest, new Scan(text).openAt(from), true);
  const tail = rest.slice(gap.length);
  if (isEmpty(tail, gap.open)) return '';
  return renderMessage(new Scan(tail, gap.open), tail.length, true).toWellFormed();
}

/** Length of the common prefix of two texts. */
export function sharedLength(one: string, other: string): number {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  return same;
}
