/** The longer text against the shorter one. */
const times = 4;
/** Linear work grows by 4, with its memory by a little more; work by the square of the length grows by 16. */
const mostGrowth = 8;
/** The fastest of several runs is what work costs; where others disturbed each of them, it gets more. */
const fewestRuns = 2;
const mostRuns = 25;

/**
 * Whether work takes time by the length of a text, and no more: a ratio between two lengths, because the machine may
 * be slow or busy.
 *
 * @param piece what the text consists of, again and again
 * @param length of the longer text, in characters
 */
export function isLinear(work: (text: string) => unknown, piece: string, length: number): boolean {
  const longer = piece.repeat(length / piece.length);
  const shorter = piece.repeat(length / times / piece.length);
  let [least, most] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let run = 0; run < mostRuns; run++) {
    least = Math.min(least, costOf(work, shorter));
    most = Math.min(most, costOf(work, longer));
    if (run >= fewestRuns && most < mostGrowth * least) return true;
  }
  return false;
}

/** Milliseconds: of the clock, because some machines count a thread's processor in steps of four of them. */
function costOf(work: (text: string) => unknown, text: string): number {
  const begun = performance.now();
  work(text);
  return performance.now() - begun;
}
