import { Worker } from 'node:worker_threads';

/** One bar: what somebody, some place or some kind of work has used, in credits. */
export interface Bar {
  readonly label: string;
  readonly low: number;
  readonly high: number;
}

export const chartThemes = ['light', 'dark'] as const;
export type ChartTheme = (typeof chartThemes)[number];

export interface ChartOrder {
  readonly title: string;
  /** Words for a legend of bars with a range; `{low, high}` of the lower and the upper end. */
  readonly legend: { readonly low: string; readonly high: string };
  /** Longest first; they are numbered in this order. */
  readonly bars: readonly Bar[];
  readonly theme: ChartTheme;
  /** BCP 47 tag for figures. */
  readonly locale: string;
}

/** What a worker answers; no image where this machine has no font even for figures. */
export interface ChartAnswer {
  readonly png?: Uint8Array;
  /** Whether every label could be written; the others have only their number. */
  readonly labelled: boolean;
}

/** Draws a chart as a PNG, in a thread of its own: it takes longer than people's answers may wait. */
export function drawChart(order: ChartOrder): Promise<ChartAnswer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: order });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the chart's thread ended with ${code}`)));
  });
}
