import type { Measurement } from '../contestants/measurement.ts';
import { quantile, type Sample } from '../samples.ts';
import { rateName, scenarioName } from '../suites/comparison.ts';

/** A goal of the project: a ratio of two figures of one run. */
export interface Goal {
  readonly title: string;
  readonly wanted: string;
  /** The median of the ratios within a turn, and their quartiles. */
  readonly ratio: number;
  readonly lowerQuartile: number;
  readonly upperQuartile: number;
  readonly met: boolean;
}

/** The goals that this run has both figures for. */
export function evaluateGoals(samples: readonly Sample[]): readonly Goal[] {
  const bySide = Map.groupBy(samples, ({ contestant, scenario }) => sideName([contestant, scenario]));
  return goals.flatMap(({ title, atLeast, atMost, figure, of, against }) => {
    const [ours = [], others = []] = [of, against].map((side) => bySide.get(sideName(side)));
    const ratios = ratiosWithinTurns(ours, others, figures[figure]);
    const [lowerQuartile, ratio, upperQuartile] = [0.25, 0.5, 0.75].map((share) => quantile(ratios, share));
    if (lowerQuartile === undefined || ratio === undefined || upperQuartile === undefined) return [];
    const met = atLeast === undefined ? ratio <= (atMost ?? 0) : ratio >= atLeast;
    const wanted = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
    return [{ title, wanted, ratio, lowerQuartile, upperQuartile, met }];
  });
}

/** Of samples that were taken within seconds of each other: the machine changes during a run. */
function ratiosWithinTurns(
  ours: readonly Sample[],
  others: readonly Sample[],
  figure: (measurement: Measurement) => number | undefined,
): readonly number[] {
  return ours.flatMap(({ round, turn, measurement }) => {
    const other = others.find((sample) => sample.round === round && sample.turn === turn);
    const [one, another] = [figure(measurement), other && figure(other.measurement)];
    return one && another ? [one / another] : [];
  });
}

const figures = {
  requestsPerSecond: ({ requestsPerSecond }) => requestsPerSecond,
  p50: ({ latency }) => latency?.p50,
  p99: ({ latency }) => latency?.p99,
  p999: ({ latency }) => latency?.p999,
  cpuPer1000: ({ cpuPer1000 }) => cpuPer1000,
} as const satisfies Record<string, (measurement: Measurement) => number | undefined>;

interface GoalDefinition {
  readonly title: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly figure: keyof typeof figures;
  readonly of: Side;
  readonly against: Side;
}

type Side = readonly [contestant: string, scenario: string];

function sideName([contestant, scenario]: Side): string {
  return `${contestant}, ${scenario}`;
}

const at64 = (contestant: string): Side => [contestant, scenarioName(64)];
const at1 = (contestant: string): Side => [contestant, scenarioName(1)];
const service = at64('service-postgres');

/** What an operator pays at an ordinary rate: no more than for the plain stack. */
const ordinaryRates: readonly GoalDefinition[] = [500, 2_000, 4_000].flatMap((rate) => {
  const sides = { of: ['service-postgres', rateName(rate)], against: ['fastify-kysely', rateName(rate)] } as const;
  const goal = (title: string, figure: GoalDefinition['figure'], atMost: number) => ({
    title: `${title} against plain Fastify + Kysely, ${rateName(rate)}`,
    figure,
    atMost,
    ...sides,
  });
  return [
    goal('CPU per request', 'cpuPer1000', 0.9),
    goal('p50', 'p50', 1),
    goal('p99', 'p99', 1),
    goal('p99.9', 'p999', 1),
  ];
});

const goals: readonly GoalDefinition[] = [
  ...ordinaryRates,
  {
    title: 'p50 with one connection against plain Fastify + Kysely',
    atMost: 1,
    figure: 'p50',
    of: at1('service-postgres'),
    against: at1('fastify-kysely'),
  },
  {
    title: 'requests/s against a minimal batcher',
    atLeast: 1,
    figure: 'requestsPerSecond',
    of: service,
    against: at64('minimal-batcher'),
  },
  {
    title: 'requests/s against plain Fastify + Kysely',
    atLeast: 4,
    figure: 'requestsPerSecond',
    of: service,
    against: at64('fastify-kysely'),
  },
  {
    title: 'p99 against plain Fastify + Kysely',
    atMost: 0.35,
    figure: 'p99',
    of: service,
    against: at64('fastify-kysely'),
  },
  {
    title: 'CPU per request against bare node:http',
    atMost: 1.8,
    figure: 'cpuPer1000',
    of: service,
    against: at64('node-http-echo'),
  },
  {
    title: 'memory: requests/s against a Fastify echo',
    atLeast: 0.9,
    figure: 'requestsPerSecond',
    of: at64('service-memory'),
    against: at64('fastify-echo'),
  },
  {
    title: 'MariaDB: requests/s against one INSERT per request',
    atLeast: 4,
    figure: 'requestsPerSecond',
    of: at64('service-mysql'),
    against: at64('fastify-mysql'),
  },
  {
    title: 'MariaDB: p99 against one INSERT per request',
    atMost: 0.35,
    figure: 'p99',
    of: at64('service-mysql'),
    against: at64('fastify-mysql'),
  },
  {
    title: 'MariaDB: p50 with one connection against one INSERT per request',
    atMost: 1,
    figure: 'p50',
    of: at1('service-mysql'),
    against: at1('fastify-mysql'),
  },
  {
    title: 'SQLite: requests/s against one INSERT per request',
    atLeast: 5,
    figure: 'requestsPerSecond',
    of: at64('service-sqlite'),
    against: at64('fastify-sqlite'),
  },
];
