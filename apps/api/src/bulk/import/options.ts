import type { Format } from '../records/format.ts';

/** The options as commander hands them over. */
export interface ImportCommandOptions {
  readonly url?: string;
  readonly format?: Format;
  readonly rejects?: string;
  readonly fromLine: number;
  readonly concurrency?: number;
  readonly retryFor: number;
  readonly dryRun?: true;
}
