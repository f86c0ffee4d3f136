import type { Load } from './load/load.ts';

/** The options of a run; `command-line.ts` has the defaults. */
export interface Settings {
  readonly suite: SuiteName;
  /** Names of contestants; undefined means the suite's defaults. */
  readonly only: readonly string[] | undefined;
  /** The directory of another checkout, whose service is measured beside this one. */
  readonly against: string | undefined;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly connections: readonly number[];
  /** Requests per second of the open loops; undefined means the suite's defaults. */
  readonly rates: readonly number[] | undefined;
  readonly ids: Load['ids'];
  readonly nameBytes: number;
  readonly duplicates: number;
}

export const suiteNames = ['comparison', 'open-loop'] as const;
export type SuiteName = (typeof suiteNames)[number];

/** The load that the settings describe, in a closed loop. */
export function closedLoad({ seconds, ids, nameBytes, duplicates }: Settings, connections: number): Load {
  return { connections, seconds, ids, nameBytes, duplicates };
}
