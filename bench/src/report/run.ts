import type { Sample, Summary } from '../samples.ts';
import type { Settings } from '../settings.ts';
import type { SuiteName } from '../suites/suites.ts';
import type { Ratio } from './goals.ts';
import type { Machine } from './machine.ts';

/** The results of a suite; `--json` writes those of all suites to a file. */
export interface Run {
  readonly suite: SuiteName;
  readonly machine: Machine;
  readonly settings: Settings;
  /** The contestants that took part, with their descriptions. */
  readonly contestants: Readonly<Record<string, string>>;
  /** What was left out, with the reasons. */
  readonly leftOut: Readonly<Record<string, string>>;
  readonly summaries: readonly Summary[];
  readonly goals: readonly Ratio[];
  /** Of this checkout to the other one. */
  readonly comparison: readonly Ratio[];
  readonly samples: readonly Sample[];
}
