/** The figures of one contestant under one load. Those that it does not have are omitted. */
export interface Figures {
  readonly requestsPerSecond: number;
  /** In milliseconds, from the time at which a request was due. */
  readonly p50: number;
  readonly p99: number;
  /** At a constant rate: how late requests were sent, in milliseconds. */
  readonly lateP99?: number;
  /** Microseconds of CPU a request of the contestant's own process, user and system. */
  readonly cpu?: number;
  /** Its resident memory at the end, in MB. */
  readonly rss?: number;
}

export interface Measurement {
  readonly figures: Figures;
  /** Responses by status, and lost connections. */
  readonly outcomes: Readonly<Record<string, number>>;
}

/** One measurement of a run. Samples of different runs are never compared: the state of the machine differs. */
export interface Sample extends Measurement {
  readonly contestant: string;
  /** The load and the disk, such as «64 connections, sync + 1 ms». */
  readonly scenario: string;
  readonly round: number;
  /** Samples of one round, scenario and turn were taken within seconds of each other. */
  readonly turn: number;
}

/** A contestant in a scenario: every figure is the median of its own samples, outcomes are sums. */
export type Summary = Pick<Sample, 'contestant' | 'scenario' | 'figures' | 'outcomes'>;

const figureNames = ['requestsPerSecond', 'p50', 'p99', 'lateP99', 'cpu', 'rss'] as const satisfies (keyof Figures)[];

/** In the order of the first samples. */
export function summarise(samples: readonly Sample[]): readonly Summary[] {
  const groups = Map.groupBy(samples, ({ contestant, scenario }) => `${contestant}\n${scenario}`);
  return [...groups.values()].flatMap((group) => {
    const medians = figureNames.flatMap((name) => {
      const median = quantile(
        group.flatMap(({ figures }) => figures[name] ?? []),
        0.5,
      );
      return median === undefined ? [] : [[name, median]];
    });
    const outcomes = sumOf(group.map((sample) => sample.outcomes));
    return group.slice(0, 1).map((first) => ({ ...first, figures: Object.fromEntries(medians), outcomes }));
  });
}

/** Of samples that were taken within seconds of each other: the machine changes during a run. */
export function ratiosWithinTurns(
  ours: readonly Sample[],
  others: readonly Sample[],
  figure: keyof Figures,
): readonly number[] {
  return ours.flatMap(({ round, turn, figures }) => {
    const other = others.find((sample) => sample.round === round && sample.turn === turn);
    const [one, another] = [figures[figure], other?.figures[figure]];
    return one && another ? [one / another] : [];
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
