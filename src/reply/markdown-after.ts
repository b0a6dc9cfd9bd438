import { gapAt, isEmpty } from './markdown/gap.ts';
import { renderMessage } from './markdown/render.ts';
import { Scan } from './markdown/scan.ts';

/**
 * What of a finished Markdown message comes after its first `from` characters, opened again so that it renders
 * on its own: for a message whose beginning people read elsewhere. Empty where nothing more is shown.
 */
export function markdownAfter(text: string, from: number): string {
  const rest = text.slice(from);
  const gap = gapAt(rest, new Scan(text).openAt(from), true);
  const tail = rest.slice(gap.length);
  if (isEmpty(tail, gap.open)) return '';
  return renderMessage(new Scan(tail, gap.open), tail.length, true).toWellFormed();
}

/** How many characters two texts have in common from the start. */
export function sharedLength(one: string, other: string): number {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  return same;
}
