import type { Measurement } from './contestants/measurement.ts';

/** One measurement of a run. Samples of different runs are never compared: the state of the machine differs. */
export interface Sample {
  readonly contestant: string;
  /** The load, such as «64 connections». */
  readonly scenario: string;
  readonly round: number;
  /** Samples of one round, scenario and turn were taken within seconds of each other. */
  readonly turn: number;
  readonly measurement: Measurement;
}

/** A contestant in a scenario: every figure is the median of its own samples. */
export interface Summary {
  readonly contestant: string;
  readonly scenario: string;
  /** At a constant rate: the requests per second that were due. */
  readonly rate: number | undefined;
  readonly requestsPerSecond: number;
  readonly p50: number | undefined;
  readonly p99: number | undefined;
  readonly p999: number | undefined;
  /** p99 of how late requests were sent at a constant rate, because of the generator or for lack of a free connection. */
  readonly lateP99: number | undefined;
  readonly cpuPer1000: number | undefined;
  readonly rss: number | undefined;
  readonly peakRss: number | undefined;
  /** Sums over the samples. */
  readonly outcomes: Readonly<Record<string, number>>;
}

/** In the order of the first samples. */
export function summarise(samples: readonly Sample[]): readonly Summary[] {
  const groups = Map.groupBy(samples, ({ contestant, scenario }) => `${contestant}\n${scenario}`);
  return [...groups.values()].map((group) => {
    const measurements = group.map(({ measurement }) => measurement);
    const median = (figure: (measurement: Measurement) => number | undefined) =>
      quantile(
        measurements.map(figure).filter((value) => value !== undefined),
        0.5,
      );
    return {
      contestant: group[0]?.contestant ?? '',
      scenario: group[0]?.scenario ?? '',
      rate: median(({ rate }) => rate),
      requestsPerSecond: median(({ requestsPerSecond }) => requestsPerSecond) ?? 0,
      p50: median(({ latency }) => latency?.p50),
      p99: median(({ latency }) => latency?.p99),
      p999: median(({ latency }) => latency?.p999),
      lateP99: median(({ lateness }) => lateness?.p99),
      cpuPer1000: median(({ cpuPer1000 }) => cpuPer1000),
      rss: median(({ rss }) => rss),
      peakRss: median(({ peakRss }) => peakRss),
      outcomes: sumOf(measurements.map(({ outcomes }) => outcomes)),
    };
  });
}

/** Between two values in proportion; undefined if there is none. */
export function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (sorted.length - 1) * share;
  const [lower, upper] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return lower === undefined || upper === undefined ? undefined : lower + (upper - lower) * (at % 1);
}

function sumOf(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const [name, count] of counts.flatMap(Object.entries<number>)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}
