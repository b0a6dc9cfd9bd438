import type { CounterName, HistogramName, LabelsOf } from './catalog.ts';

/** Takes what is measured; cheap enough for anything but single tokens. Never throws. */
export interface Meter {
  /** Counts something that happened, `by` times. */
  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by?: number): void;
  /** Notes how long something took, in seconds. */
  observe<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>, seconds: number): void;
}

/** Measures nothing. */
export const noMeter: Meter = { count: () => {}, observe: () => {} };

/** Seconds between two times in milliseconds; 0 where clocks disagree. */
export function secondsBetween(from: number, to: number): number {
  return Math.max(0, to - from) / 1_000;
}
