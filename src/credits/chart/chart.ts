import { ConcurrencyLimit, runInWorker } from '../../media/index.ts';

const worker = new URL('./worker.ts', import.meta.url);

/** One bar: what a person, a channel or a kind of work has used, in credits. */
export interface Bar {
  readonly label: string;
  readonly low: number;
  readonly high: number;
}

/** What the chart is seen against. */
export type ChartTheme = 'light' | 'dark';

export interface ChartOrder {
  readonly title: string;
  /** Legend texts for bars with a range; `{low, high}` for the lower and upper end. */
  readonly legend: { readonly low: string; readonly high: string };
  /** Longest first; numbered in this order. */
  readonly bars: readonly Bar[];
  readonly theme: ChartTheme;
  /** BCP 47 tag for formatting numbers. */
  readonly locale: string;
}

/** A worker's result; no image if this machine has no font even for digits, or many others wait for theirs. */
export interface ChartAnswer {
  readonly png?: Uint8Array;
  /** Whether every label could be drawn; otherwise the others have only their number. */
  readonly labelled: boolean;
}

/** Charts that are drawn at once, and those that wait for that. */
const most = { atOnce: 2, waiting: 20 };
const limit = new ConcurrencyLimit(most.atOnce);

/** Draws a chart as a PNG in a worker thread, because it would delay people's answers. */
export async function drawChart(order: ChartOrder): Promise<ChartAnswer> {
  if (limit.waiting >= most.waiting) return { labelled: false };
  return limit.run(() => runInWorker<ChartAnswer>(worker, { ...order }));
}
