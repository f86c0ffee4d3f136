import type { SuiteName } from './suites/suites.ts';

/** The options of a run; `command-line.ts` has the defaults. */
export interface Settings {
  readonly suite: readonly SuiteName[];
  /** Names of contestants; undefined means the suite's. */
  readonly only: readonly string[] | undefined;
  /** The directory of another checkout, whose service is measured beside this one. */
  readonly against: string | undefined;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Undefined means those of the suite; so do the next two. */
  readonly connections: readonly number[] | undefined;
  readonly rates: readonly number[] | undefined;
  readonly syncDelays: readonly number[] | undefined;
  /** The file to write all figures to. */
  readonly json: string | undefined;
}
