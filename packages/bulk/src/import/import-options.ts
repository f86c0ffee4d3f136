import type { Format } from '../records/format.ts';

/** How a file is imported. */
export interface ImportOptions {
  readonly format?: Format;
  /** The file for rejected lines; one beside the imported file by default. */
  readonly rejects?: string;
  /** The first line to import. */
  readonly fromLine: number;
  /** Maximum plants in flight; the destination's own by default. */
  readonly concurrency?: number;
  readonly ignoreColumns?: true;
  readonly unescapeFormulas?: true;
  /** Without a created plant, in seconds. */
  readonly retryFor: number;
  /** Checks every line and stores nothing. */
  readonly dryRun?: true;
}
