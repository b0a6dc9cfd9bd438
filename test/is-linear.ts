/** The longer text against the shorter one. */
const times = 4;
/** Linear work grows by 4, with its memory by a little more; work by the square of the length grows by 16. */
const mostGrowth = 8;
/** So many looks, because others on the machine disturb some. */
const mostLooks = 4;
/** What's over within so many milliseconds is linear: by the square of the length even a search for a byte takes longer. */
const atOnce = 50;
/** Work is repeated until it has taken so many microseconds of processor, which some machines count in steps of 4,000. */
const enough = 80_000;

/**
 * Whether work takes time by the length of a text, and no more: a ratio between two lengths, because the machine may
 * be slow or busy.
 *
 * @param piece what the text consists of, again and again
 * @param length of the longer text, in characters; at least tens of thousands
 */
export function isLinear(work: (text: string) => unknown, piece: string, length: number): boolean {
  const longer = piece.repeat(length / piece.length);
  const shorter = piece.repeat(length / times / piece.length);
  for (let look = 0; look < mostLooks; look++) {
    if (isOverAtOnce(work, longer)) return true;
    if (costOf(work, longer) < mostGrowth * costOf(work, shorter)) return true;
  }
  return false;
}

function isOverAtOnce(work: (text: string) => unknown, text: string): boolean {
  const begun = performance.now();
  work(text);
  return performance.now() - begun < atOnce;
}

/** Microseconds of this thread's processor, however busy the machine is. */
function costOf(work: (text: string) => unknown, text: string): number {
  const begun = process.threadCpuUsage();
  for (let runs = 1; ; runs++) {
    work(text);
    const { user, system } = process.threadCpuUsage(begun);
    if (user + system >= enough) return (user + system) / runs;
  }
}
