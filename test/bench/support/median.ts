/** The value in the middle; NaN of none. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** A duration in whole milliseconds, its spread behind it. */
export function describeRuns(milliseconds: readonly number[]): string {
  const [least, most] = [Math.min(...milliseconds), Math.max(...milliseconds)];
  return `${median(milliseconds).toFixed(0)} ms (median of ${milliseconds.length}, ${least.toFixed(0)} to ${most.toFixed(0)})`;
}
