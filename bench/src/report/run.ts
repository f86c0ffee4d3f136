import type { Sample, Summary } from '../samples.ts';
import type { Settings } from '../settings.ts';
import type { Goal } from './goals.ts';
import type { Machine } from './machine.ts';

/** All that a run has found out; the file that `--json` writes. */
export interface Run {
  readonly machine: Machine;
  readonly settings: Settings;
  /** The contestants that took part, and what each of them is. */
  readonly contestants: Readonly<Record<string, string>>;
  /** Those that could not, and why. */
  readonly missing: Readonly<Record<string, string>>;
  readonly summaries: readonly Summary[];
  readonly goals: readonly Goal[];
  readonly samples: readonly Sample[];
}
