import type { Load } from './load/load.ts';

/** What a run is asked to do; see `command-line.ts` for the defaults. */
export interface Settings {
  readonly suite: SuiteName;
  /** Names of contestants; undefined: those that the suite is about. */
  readonly only: readonly string[] | undefined;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly connections: readonly number[];
  readonly rate: number;
  readonly ids: Load['ids'];
  readonly nameBytes: number;
  readonly duplicates: number;
  readonly rows: readonly number[];
  readonly creates: number;
}

/** Where a run is written to, beside standard output. */
export interface Files {
  readonly json: string | undefined;
  readonly svg: string | undefined;
}

export const suiteNames = ['comparison', 'growth', 'memory'] as const;
export type SuiteName = (typeof suiteNames)[number];

/** The load that the settings describe, with so many connections in a closed loop. */
export function closedLoad({ seconds, ids, nameBytes, duplicates }: Settings, connections: number): Load {
  return { connections, seconds, ids, nameBytes, duplicates, slowClients: 0 };
}
