import { Histogram, type HistogramConfiguration, type LabelValues } from 'prom-client';

/** What prom-client's histograms return. */
type HistogramData<Label extends string> = ReturnType<Histogram<Label>['get']>;

/**
 * A histogram with labels for tens of thousands of observations a second. prom-client's own makes a string from the labels,
 * and several objects, each time. Here each series is held by its user and only counts; a scrape adds the counts up.
 */
export class SeriesHistogram<Label extends string> extends Histogram<Label> {
  readonly #options: HistogramConfiguration<Label>;
  readonly #withoutSeries: Histogram<Label>;
  readonly #series: { readonly labels: LabelValues<Label>; readonly series: Series }[] = [];

  constructor(options: HistogramConfiguration<Label>) {
    super(options);
    this.#options = options;
    this.#withoutSeries = new Histogram({ ...options, registers: [] });
  }

  /** Adds a series with these labels. Call it once per combination. */
  series(labels: LabelValues<Label>): Series {
    const series = new Series(this.#options.buckets ?? []);
    this.#series.push({ labels, series });
    return series;
  }

  override async get(): HistogramData<Label> {
    const metric = await this.#withoutSeries.get();
    const values = this.#series.flatMap(({ labels, series }) =>
      series.values(metric.name).map((value) => ({ ...value, labels: { ...value.labels, ...labels } })),
    );
    return { ...metric, values };
  }

  /** Source of the text format. */
  getForPromString(): HistogramData<Label> {
    return this.get();
  }
}

/** The observations with the same labels. */
export class Series {
  readonly #bounds: readonly number[];
  /** By bucket, each without those below; the last one has no bound. */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = [...bounds, Infinity].map(() => 0);
  }

  observe(value: number): void {
    let bucket = 0;
    while (value > (this.#bounds[bucket] ?? Infinity)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  /** As prom-client has them: each bucket with those below. */
  values(name: string) {
    let count = 0;
    const buckets = this.#counts.map((more, at) => {
      count += more;
      return { metricName: `${name}_bucket`, labels: { le: this.#bounds[at] ?? '+Inf' }, value: count };
    });
    const total = (suffix: string, value: number) => ({ metricName: `${name}_${suffix}`, labels: {}, value });
    return [...buckets, total('sum', this.#sum), total('count', count)];
  }
}
