import type { Sample, Summary } from '../samples.ts';
import type { Settings } from '../settings.ts';
import type { Goal } from './goals.ts';
import type { Machine } from './machine.ts';

/** The results of a run; `--json` writes them to a file. */
export interface Run {
  readonly machine: Machine;
  readonly settings: Settings;
  /** The contestants that took part, with their descriptions. */
  readonly contestants: Readonly<Record<string, string>>;
  /** The contestants that were skipped, with the reasons. */
  readonly missing: Readonly<Record<string, string>>;
  readonly summaries: readonly Summary[];
  readonly goals: readonly Goal[];
  readonly samples: readonly Sample[];
}
