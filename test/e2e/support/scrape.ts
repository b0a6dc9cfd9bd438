/** A metric's series, as Prometheus reads it. */
interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a bot tells Prometheus at one time. */
export class Scrape {
  readonly #series: readonly Series[];

  private constructor(series: readonly Series[]) {
    this.#series = series;
  }

  static async of(url: string): Promise<Scrape> {
    const answer = await fetch(`${url}/metrics`);
    if (!answer.ok) throw new Error(`/metrics answered with ${answer.status}`);
    return new Scrape(seriesIn(await answer.text()));
  }

  /** The sum of a metric's series with these labels. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    return this.#of(name, labels).reduce((sum, { value }) => sum + value, 0);
  }

  /** Series that aren't 0, by the values of some of their labels. */
  by(name: string, ...labels: readonly string[]): Readonly<Record<string, number>> {
    const sums: Record<string, number> = {};
    for (const { labels: all, value } of this.#of(name, {})) {
      const key = labels
        .map((label) => all[label])
        .filter(Boolean)
        .join(' ');
      if (value !== 0) sums[key] = (sums[key] ?? 0) + value;
    }
    return sums;
  }

  /** Every value of every label but buckets. */
  get labelValues(): readonly string[] {
    return this.#series.flatMap(({ labels: { le: _, ...labels } }) => Object.values(labels));
  }

  #of(name: string, labels: Readonly<Record<string, string>>): readonly Series[] {
    const wanted = Object.entries(labels);
    return this.#series.filter(
      (series) => series.name === name && wanted.every(([label, value]) => series.labels[label] === value),
    );
  }
}

function seriesIn(text: string): readonly Series[] {
  return [...text.matchAll(/^([a-z_\d]+)(?:\{([^}]*)\})? (\S+)$/gm)].map(
    ([, name = '', labels = '', value]) => ({
      name,
      labels: Object.fromEntries(
        [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', said = '']) => [label, said]),
      ),
      value: Number(value),
    }),
  );
}
