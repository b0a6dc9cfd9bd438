import {
  type CounterName,
  counters,
  type HistogramName,
  histograms,
  type LabelsOf,
  type Meter,
  type Metric,
} from '../../lib/telemetry/index.ts';

/** One value of a metric, as Prometheus reads it. */
export interface Sample {
  /** The metric's own name, or that of a part of a histogram. */
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

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
  readonly #buckets: readonly number[];

  constructor({ labels, buckets = [] }: Metric) {
    this.#names = Object.keys(labels);
    this.#buckets = buckets;
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

  counts(metricName: string): Sample[] {
    return [...this.#series.values()].map(({ labels, sum }) => ({ metricName, labels, value: sum }));
  }

  distributions(name: string): Sample[] {
    return [...this.#series.values()].flatMap(({ labels, sum, inBuckets }) => {
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
  readonly #counters = familiesOf(counters);
  readonly #histograms = familiesOf(histograms);

  constructor() {
    for (const [name, family] of this.#counters)
      for (const labels of fewCombinations(counters[name as CounterName])) family.at(labels);
  }

  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by = 1): void {
    const series = this.#counters.get(name)?.at(labels as Words);
    if (series) series.sum += by;
  }

  observe<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>, seconds: number): void {
    const family = this.#histograms.get(name);
    const series = family?.at(labels as Words);
    if (!family || !series) return;
    series.sum += seconds;
    const bucket = family.bucketOf(seconds);
    series.inBuckets[bucket] = (series.inBuckets[bucket] ?? 0) + 1;
  }

  counted(name: CounterName): readonly Sample[] {
    return this.#counters.get(name)?.counts(name) ?? [];
  }

  observed(name: HistogramName): readonly Sample[] {
    return this.#histograms.get(name)?.distributions(name) ?? [];
  }
}

function familiesOf(metrics: Readonly<Record<string, Metric>>): ReadonlyMap<string, Family> {
  return new Map(Object.entries(metrics).map(([name, metric]) => [name, new Family(metric)]));
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
