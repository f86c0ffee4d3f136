import type { Measurement } from './contestants/measurement.ts';

/** One measurement of a run. Samples of different runs are never compared: the state of the machine differs. */
export interface Sample {
  readonly contestant: string;
  /** The load, such as «64 connections». */
  readonly scenario: string;
  readonly round: number;
  readonly measurement: Measurement;
}

/** A contestant in a scenario: every figure is the median of its own rounds. */
export interface Summary {
  readonly contestant: string;
  readonly scenario: string;
  readonly rounds: number;
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
  /** Sums over the rounds. */
  readonly outcomes: Readonly<Record<string, number>>;
}

/** In the order of the first samples. */
export function summarise(samples: readonly Sample[]): readonly Summary[] {
  const groups = Map.groupBy(samples, ({ contestant, scenario }) => `${contestant}\n${scenario}`);
  return [...groups.values()].map((group) => {
    const measurements = group.map(({ measurement }) => measurement);
    const median = (figure: (measurement: Measurement) => number | undefined) =>
      medianOf(measurements.map(figure).filter((value) => value !== undefined));
    return {
      contestant: group[0]?.contestant ?? '',
      scenario: group[0]?.scenario ?? '',
      rounds: group.length,
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

function medianOf(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  const [lower, upper] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return lower === undefined || upper === undefined ? undefined : (lower + upper) / 2;
}

function sumOf(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const [name, count] of counts.flatMap(Object.entries<number>)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}
