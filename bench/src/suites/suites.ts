import type { Load } from '../load/load.ts';

/** What is measured together. The options of the command line replace its loads. */
export interface Suite {
  readonly about: string;
  readonly contestants: readonly string[];
  /** The one that requests/s are compared with. */
  readonly baseline: string;
  /** Numbers of connections that never pause. */
  readonly connections: readonly number[];
  /** Requests per second at constant rates. */
  readonly rates: readonly number[];
  /** Milliseconds that each sync takes longer; every load is applied with each. */
  readonly syncDelays: readonly number[];
}

export const suiteNames = ['load', 'limit', 'disk', 'mysql', 'sqlite'] as const;
export type SuiteName = (typeof suiteNames)[number];

export const suites: Readonly<Record<SuiteName, Suite>> = {
  load: {
    about: 'PostgreSQL at ordinary rates: CPU a request, p50, p99',
    contestants: ['service-postgres', 'minimal-batcher', 'bare', 'equipped', 'pipelining', 'postgres.js'],
    baseline: 'equipped',
    connections: [],
    rates: [500, 2_000],
    syncDelays: [0],
  },
  limit: {
    about: 'one client, and as many requests as 64 connections carry',
    contestants: [
      ...['service-postgres', 'service-memory', 'minimal-batcher', 'bare', 'equipped', 'pool-of-64', 'pipelining'],
      ...['postgres.js', 'echo'],
    ],
    baseline: 'bare',
    connections: [1, 64],
    rates: [],
    syncDelays: [0],
  },
  disk: {
    about: 'PostgreSQL on disks whose syncs take longer, as those of cloud volumes do',
    contestants: ['service-postgres', 'minimal-batcher', 'bare', 'pipelining', 'postgres.js'],
    baseline: 'bare',
    connections: [8, 64, 256],
    rates: [],
    syncDelays: [0, 1, 3],
  },
  mysql: {
    about: 'MariaDB: ordinary rates, 64 connections, and the same on a slower disk',
    contestants: ['service-mysql', 'bare-mysql', 'equipped-mysql'],
    baseline: 'bare-mysql',
    connections: [1, 64],
    rates: [500, 2_000],
    syncDelays: [0, 1],
  },
  sqlite: {
    about: 'SQLite: 64 connections, and the same on a slower disk',
    contestants: ['service-sqlite', 'bare-sqlite', 'equipped-sqlite'],
    baseline: 'bare-sqlite',
    connections: [1, 64],
    rates: [],
    syncDelays: [0, 1],
  },
};

/** A load, a disk, and what both are called in the report. */
export interface Scenario {
  readonly name: string;
  readonly load: Omit<Load, 'seconds'>;
  readonly syncDelay: number;
}

/** Of all clients together, at a constant rate and while they warm up. */
export const CONNECTIONS = 64;

export function scenariosOf({
  connections,
  rates,
  syncDelays,
}: Pick<Suite, 'connections' | 'rates' | 'syncDelays'>): readonly Scenario[] {
  return syncDelays.flatMap((syncDelay) => {
    const disk = syncDelay === 0 ? '' : `, sync + ${syncDelay} ms`;
    const closed = connections.map((count) => ({
      name: `${count.toLocaleString('en')} connection${count === 1 ? '' : 's'}${disk}`,
      load: { connections: count },
      syncDelay,
    }));
    const open = rates.map((rate) => ({
      name: `${rate.toLocaleString('en')} requests/s${disk}`,
      load: { connections: CONNECTIONS, rate },
      syncDelay,
    }));
    return [...open, ...closed];
  });
}
