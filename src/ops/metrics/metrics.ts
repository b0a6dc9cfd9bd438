import type { Metric as PrometheusMetric, Registry } from 'prom-client';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { inTime } from '../../lib/promises.ts';
import {
  type CounterName,
  counters,
  type GaugeName,
  gauges,
  type HistogramName,
  histograms,
  type LabelsOf,
  type Meter,
} from '../../lib/telemetry/index.ts';
import { Recorder, type Sample } from './recorder.ts';

/** A state of now. */
export type Reading = {
  readonly [Name in GaugeName]: {
    readonly name: Name;
    readonly labels: LabelsOf<Name>;
    readonly value: number;
  };
}[GaugeName];

/** Reads states of now, at each scrape. What it can't read is left out. */
export type Readings = () => readonly Reading[] | Promise<readonly Reading[]>;

/** How long a scrape waits for states, in milliseconds: the rest is told without them. */
const patience = 3_000;

/** Prometheus metrics of this process. */
export interface Metrics {
  readonly meter: Meter;
  /** Adds states that are read at each scrape. */
  read(readings: Readings): void;
  /** What Prometheus gets; prom-client is loaded on the first call, since most bots are never scraped. */
  exposition(): Promise<{ readonly text: string; readonly contentType: string }>;
}

/** Metrics that nobody has read yet. */
export function createMetrics(clock: Clock = systemClock): Metrics {
  const recorder = new Recorder();
  const sources: Readings[] = [];
  let registry: Promise<Registry> | undefined;
  let now: readonly Reading[] = [];

  async function create(): Promise<Registry> {
    const { collectDefaultMetrics, Registry } = await import('prom-client');
    const created = new Registry();
    collectDefaultMetrics({ register: created });
    const add = (type: string, name: string, { help }: { help: string }, values: () => readonly Sample[]) => {
      const metric = {
        name,
        help,
        type,
        aggregator: 'sum',
        get: async () => ({ name, help, type, values: values() }),
      };
      created.registerMetric(metric as unknown as PrometheusMetric);
    };
    for (const [name, metric] of Object.entries(counters))
      add('counter', name, metric, () => recorder.counted(name as CounterName));
    for (const [name, metric] of Object.entries(histograms))
      add('histogram', name, metric, () => recorder.observed(name as HistogramName));
    for (const [name, metric] of Object.entries(gauges))
      add('gauge', name, metric, () =>
        now
          .filter((reading) => reading.name === name)
          .map(({ labels, value }) => ({ metricName: name, labels, value })),
      );
    return created;
  }

  return {
    meter: recorder,
    read: (readings) => void sources.push(readings),
    async exposition() {
      registry ??= create();
      const [created, ...read] = await Promise.all([
        registry,
        ...sources.map((readings) => readUnlessLate(clock, readings)),
      ]);
      now = read.flat();
      return { text: await created.metrics(), contentType: created.contentType };
    },
  };
}

async function readUnlessLate(clock: Clock, readings: Readings): Promise<readonly Reading[]> {
  try {
    return await inTime(clock, patience, Promise.resolve(readings()), []);
  } catch {
    return [];
  }
}
