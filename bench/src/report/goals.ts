import { type Figures, quantile, ratiosWithinTurns, type Sample } from '../samples.ts';
import type { SuiteName } from '../suites/suites.ts';

/** A goal of the project: a bound of the ratio of two contestants' figures in one scenario of a suite. */
type Goal = readonly [
  suite: SuiteName,
  scenario: string,
  figure: keyof Figures,
  of: string,
  against: string,
  bound: '≤' | '≥',
  value: number,
];

export const goals: readonly Goal[] = [
  ['load', '500 requests/s', 'cpu', 'service-postgres', 'equipped', '≤', 0.75],
  ['load', '500 requests/s', 'cpu', 'service-postgres', 'bare', '≤', 1.1],
  ['load', '500 requests/s', 'p50', 'service-postgres', 'equipped', '≤', 1],
  ['load', '500 requests/s', 'p99', 'service-postgres', 'equipped', '≤', 1],
  ['load', '2,000 requests/s', 'cpu', 'service-postgres', 'equipped', '≤', 0.75],
  ['load', '2,000 requests/s', 'cpu', 'service-postgres', 'bare', '≤', 1.1],
  ['load', '2,000 requests/s', 'p50', 'service-postgres', 'equipped', '≤', 1],
  ['load', '2,000 requests/s', 'p99', 'service-postgres', 'equipped', '≤', 1],
  ['limit', '1 connection', 'p50', 'service-postgres', 'bare', '≤', 1],
  ['limit', '64 connections', 'p99', 'service-postgres', 'bare', '≤', 0.35],
  ['limit', '64 connections', 'requestsPerSecond', 'service-memory', 'echo', '≥', 0.9],
  ['disk', '8 connections', 'requestsPerSecond', 'service-postgres', 'bare', '≥', 1.7],
  ['disk', '64 connections', 'requestsPerSecond', 'service-postgres', 'bare', '≥', 3.5],
  ['disk', '64 connections, sync + 1 ms', 'requestsPerSecond', 'service-postgres', 'bare', '≥', 3.2],
  ['disk', '256 connections, sync + 1 ms', 'requestsPerSecond', 'service-postgres', 'bare', '≥', 7],
  ['disk', '64 connections, sync + 3 ms', 'requestsPerSecond', 'service-postgres', 'bare', '≥', 3.3],
  ['disk', '256 connections, sync + 3 ms', 'requestsPerSecond', 'service-postgres', 'bare', '≥', 9.5],
  ['disk', '64 connections', 'requestsPerSecond', 'service-postgres', 'minimal-batcher', '≥', 0.95],
  ['disk', '256 connections', 'requestsPerSecond', 'service-postgres', 'minimal-batcher', '≥', 0.95],
  ['disk', '64 connections, sync + 1 ms', 'requestsPerSecond', 'service-postgres', 'minimal-batcher', '≥', 0.95],
  ['disk', '256 connections, sync + 1 ms', 'requestsPerSecond', 'service-postgres', 'minimal-batcher', '≥', 0.95],
  ['disk', '64 connections, sync + 3 ms', 'requestsPerSecond', 'service-postgres', 'minimal-batcher', '≥', 0.95],
  ['disk', '256 connections, sync + 3 ms', 'requestsPerSecond', 'service-postgres', 'minimal-batcher', '≥', 0.95],
  ['mysql', '500 requests/s', 'cpu', 'service-mysql', 'equipped-mysql', '≤', 0.75],
  ['mysql', '500 requests/s', 'p50', 'service-mysql', 'equipped-mysql', '≤', 1],
  ['mysql', '500 requests/s', 'p99', 'service-mysql', 'equipped-mysql', '≤', 1],
  ['mysql', '2,000 requests/s', 'cpu', 'service-mysql', 'equipped-mysql', '≤', 0.75],
  ['mysql', '2,000 requests/s', 'p50', 'service-mysql', 'equipped-mysql', '≤', 1],
  ['mysql', '2,000 requests/s', 'p99', 'service-mysql', 'equipped-mysql', '≤', 1],
  ['mysql', '64 connections, sync + 1 ms', 'requestsPerSecond', 'service-mysql', 'bare-mysql', '≥', 3.2],
  ['sqlite', '64 connections', 'requestsPerSecond', 'service-sqlite', 'bare-sqlite', '≥', 5],
];

/** A ratio that was measured: its median over the turns, and its quartiles. */
export interface Ratio {
  readonly scenario: string;
  readonly figure: keyof Figures;
  readonly of: string;
  readonly against: string;
  readonly quartiles: readonly [lower: number, median: number, upper: number];
  /** With a goal alone. */
  readonly wanted?: string;
  readonly met?: boolean;
}

/** The goals of the suite that this run has both figures for. */
export function evaluateGoals(suite: SuiteName, samples: readonly Sample[]): readonly Ratio[] {
  return goals
    .filter(([ofSuite]) => ofSuite === suite)
    .flatMap(([, scenario, figure, of, against, bound, value]) =>
      ratioOf(samples, { scenario, figure, of, against }).map((ratio) => ({
        ...ratio,
        wanted: `${bound} ${value}`,
        met: bound === '≤' ? ratio.quartiles[1] <= value : ratio.quartiles[1] >= value,
      })),
    );
}

/** Each service of this checkout against that of the other one, if there is one. */
export function compareCheckouts(samples: readonly Sample[]): readonly Ratio[] {
  const pairs = new Set(samples.map(({ scenario, contestant }) => `${scenario}\n${contestant}`));
  return [...pairs].flatMap((pair) => {
    const [scenario = '', against = ''] = pair.split('\n');
    if (!against.startsWith('other-')) return [];
    const of = against.replace('other-', 'service-');
    return (['requestsPerSecond', 'p50', 'p99', 'cpu'] as const).flatMap((figure) =>
      ratioOf(samples, { scenario, figure, of, against }),
    );
  });
}

function ratioOf(
  samples: readonly Sample[],
  sides: Pick<Ratio, 'scenario' | 'figure' | 'of' | 'against'>,
): readonly Ratio[] {
  const [ours = [], others = []] = [sides.of, sides.against].map((name) =>
    samples.filter(({ contestant, scenario }) => contestant === name && scenario === sides.scenario),
  );
  const ratios = ratiosWithinTurns(ours, others, sides.figure);
  const [lower, median, upper] = [0.25, 0.5, 0.75].map((share) => quantile(ratios, share));
  if (lower === undefined || median === undefined || upper === undefined) return [];
  return [{ ...sides, quartiles: [lower, median, upper] }];
}
