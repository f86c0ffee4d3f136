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
  ...ordinaryLoad('load', 'service-postgres', 'equipped'),
  ...ordinaryLoad('mysql', 'service-mysql', 'equipped-mysql'),
  ['load', '500 requests/s', 'cpu', 'service-postgres', 'bare', '≤', 1.1],
  ['load', '2,000 requests/s', 'cpu', 'service-postgres', 'bare', '≤', 1.1],
  ['limit', '1 connection', 'p50', 'service-postgres', 'bare', '≤', 1],
  ['limit', '64 connections', 'p99', 'service-postgres', 'bare', '≤', 0.35],
  ['limit', '64 connections', 'requestsPerSecond', 'service-memory', 'echo', '≥', 0.9],
  ...throughputOnDisks('8 connections', 1.7),
  ...throughputOnDisks('64 connections', 3.5, 0.95),
  ...throughputOnDisks('64 connections, sync + 1 ms', 3.2, 0.95),
  ...throughputOnDisks('64 connections, sync + 3 ms', 3.3, 0.95),
  ...throughputOnDisks('256 connections', undefined, 0.95),
  ...throughputOnDisks('256 connections, sync + 1 ms', 7, 0.95),
  ...throughputOnDisks('256 connections, sync + 3 ms', 9.5, 0.95),
  ['mysql', '64 connections, sync + 1 ms', 'requestsPerSecond', 'service-mysql', 'bare-mysql', '≥', 3.2],
  ['sqlite', '64 connections', 'requestsPerSecond', 'service-sqlite', 'bare-sqlite', '≥', 5],
];

function ordinaryLoad(suite: SuiteName, of: string, against: string): readonly Goal[] {
  return ['500 requests/s', '2,000 requests/s'].flatMap((scenario): readonly Goal[] => [
    [suite, scenario, 'cpu', of, against, '≤', 0.75],
    [suite, scenario, 'p50', of, against, '≤', 1],
    [suite, scenario, 'p99', of, against, '≤', 1],
  ]);
}

function throughputOnDisks(scenario: string, bare?: number, minimalBatcher?: number): readonly Goal[] {
  const bounds = { bare, 'minimal-batcher': minimalBatcher };
  return Object.entries(bounds).flatMap(([against, bound]): readonly Goal[] =>
    bound === undefined ? [] : [['disk', scenario, 'requestsPerSecond', 'service-postgres', against, '≥', bound]],
  );
}

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
