import type { MetricValueWithName, Metric as PrometheusMetric, Registry } from 'prom-client';
import { type Clock, inTime, systemClock } from '../lib/clock.ts';
import {
  type CounterName,
  counters,
  type GaugeName,
  gauges,
  type HistogramName,
  histograms,
  type LabelsOf,
  type Meter,
  type Metric,
} from '../lib/telemetry.ts';

/** A state of now. */
export interface Reading extends Pick<Sample, 'labels' | 'value'> {
  readonly name: GaugeName;
}

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
      add('counter', name, metric, () => recorder.counted(name));
    for (const [name, metric] of Object.entries(histograms))
      add('histogram', name, metric, () => recorder.counted(name));
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

/** One value of a metric, by its own name or that of a part of a histogram. */
type Sample = MetricValueWithName<string>;

/** Series of one metric; more than its labels allow would be a mistake, which must not take memory without end. */
const maxSeries = 2_000;
/** A counter with so few series has all of them from the start: Prometheus sees no increase from nothing to 1. */
const maxPrepared = 64;

/** Values of labels by their names. */
type Words = Readonly<Record<string, string>>;

interface Series {
  readonly labels: Words;
  /** How often, or in a histogram how long in seconds altogether. */
  sum: number;
  /** How many in each bucket, the last being those above all bounds. */
  readonly inBuckets: Float64Array;
}

/** All series of one metric. */
class Family {
  readonly #series = new Map<string, Series>();
  readonly #names: readonly string[];
  readonly #isHistogram: boolean;
  readonly #buckets: readonly number[];

  constructor(metric: Metric) {
    this.#names = Object.keys(metric.labels);
    this.#isHistogram = metric.buckets !== undefined;
    this.#buckets = metric.buckets ?? [];
    if (!this.#isHistogram) for (const labels of fewCombinations(metric)) this.at(labels);
  }

  /** Without a library, because most bots are never scraped: a look-up in a map. */
  at(labels: Words): Series | undefined {
    let key = '';
    for (const name of this.#names) key += `${labels[name]}\n`;
    const known = this.#series.get(key);
    if (known || this.#series.size >= maxSeries) return known;
    const own = Object.fromEntries(this.#names.map((name) => [name, labels[name] ?? '']));
    const created = { labels: own, sum: 0, inBuckets: new Float64Array(this.#buckets.length + 1) };
    this.#series.set(key, created);
    return created;
  }

  bucketOf(value: number): number {
    let bucket = 0;
    while (bucket < this.#buckets.length && value > (this.#buckets[bucket] ?? 0)) bucket++;
    return bucket;
  }

  samples(name: string): Sample[] {
    return [...this.#series.values()].flatMap(({ labels, sum, inBuckets }) => {
      if (!this.#isHistogram) return [{ metricName: name, labels, value: sum }];
      let total = 0;
      const samples = [...inBuckets].map((count, index) => {
        total += count;
        const le = this.#buckets[index] ?? '+Inf';
        return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
      });
      return [
        ...samples,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: total },
      ];
    });
  }
}

/** Keeps all counters and histograms of this process. */
export class Recorder implements Meter {
  readonly #families: ReadonlyMap<string, Family> = new Map(
    Object.entries<Metric>({ ...counters, ...histograms }).map(([name, metric]) => [
      name,
      new Family(metric),
    ]),
  );

  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by = 1): void {
    const series = this.#families.get(name)?.at(labels as Words);
    if (series) series.sum += by;
  }

  observe<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>, seconds: number): void {
    const family = this.#families.get(name);
    const series = family?.at(labels as Words);
    if (!family || !series) return;
    series.sum += seconds;
    const bucket = family.bucketOf(seconds);
    series.inBuckets[bucket] = (series.inBuckets[bucket] ?? 0) + 1;
  }

  /** All there is of a metric. */
  counted(name: string): readonly Sample[] {
    return this.#families.get(name)?.samples(name) ?? [];
  }
}

/** All combinations of a metric's labels, where those are known and few; none otherwise. */
function fewCombinations({ labels }: Metric): readonly Words[] {
  let combinations: Record<string, string>[] = [{}];
  for (const [name, values] of Object.entries(labels)) {
    if (values === null) return [];
    combinations = combinations.flatMap((one) => values.map((value) => ({ ...one, [name]: value })));
    if (combinations.length > maxPrepared) return [];
  }
  return combinations;
}
