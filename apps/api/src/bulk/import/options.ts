import type { Format } from '../records/format.ts';

/** The options of `plant-store import`. */
export interface ImportOptions {
  readonly url?: string;
  readonly format?: Format;
  readonly rejects?: string;
  readonly fromLine: number;
  readonly concurrency?: number;
  readonly ignoreColumns?: true;
  readonly unescapeFormulas?: true;
  /** In seconds. */
  readonly retryFor: number;
  readonly dryRun?: true;
}
