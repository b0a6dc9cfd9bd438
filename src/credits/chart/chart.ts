import { Worker } from 'node:worker_threads';

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

/** A worker's result; no image if this machine has no font even for digits. */
export interface ChartAnswer {
  readonly png?: Uint8Array;
  /** Whether every label could be drawn; otherwise the others have only their number. */
  readonly labelled: boolean;
}

/** Draws a chart as a PNG in a worker thread, because it would delay people's answers. */
export function drawChart(order: ChartOrder): Promise<ChartAnswer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: order });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the chart's worker exited with code ${code}`)));
  });
}
