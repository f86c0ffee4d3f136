import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { NewPlant, PlantStore } from '@plant-store/domain';
import { errorMessage, IncompleteError, UsageError } from '../errors.ts';
import type { Host } from '../host.ts';
import { printable } from '../printable.ts';
import { type Format, formatOf } from './format.ts';
import { importPlants, type Progress } from './import-plants.ts';
import { interruption, untilAborted } from './interruption.ts';
import type { Reject } from './line.ts';
import { openOutput, refuseInUse } from './output.ts';
import { showProgress, whole } from './progress.ts';
import { readCsv } from './read-csv.ts';
import { readNdjson } from './read-ndjson.ts';
import { mayRecover, retrying } from './retry.ts';
import { openSource } from './source.ts';

/** How a file is imported. */
export interface ImportOptions {
  readonly format?: Format;
  readonly ignoreColumns?: boolean;
  /** The file for rejected lines; one beside the imported file by default. */
  readonly rejects?: string;
  readonly force?: boolean;
  readonly keepGoing?: boolean;
  /** How long to retry while the store is unavailable, in seconds. */
  readonly retryFor: number;
  /** Checks every line and stores nothing. */
  readonly dryRun?: boolean;
}

/** Where plants are stored. */
export interface Destination {
  open(): Promise<PlantStore>;
  readonly storeFiles: readonly string[];
}

/**
 * Imports a file and prints the result on standard output, and the progress on standard error.
 *
 * @param file a path; `-` is standard input.
 * @throws {UsageError} if it cannot begin.
 * @throws {IncompleteError} if it could not finish.
 */
export async function importFile(
  file: string,
  { force = false, ignoreColumns = false, keepGoing = false, retryFor, dryRun, ...options }: ImportOptions,
  host: Host,
  { open, storeFiles }: Destination,
): Promise<void> {
  const signal = interruption(host);
  await using resources = new AsyncDisposableStack();
  const stream = resources.use(await openSource(file, host.stdin, signal));
  const { format = formatOf(file), rejects = `${file === '-' ? 'import' : file}${REJECTS}` } = options;
  if (format !== 'csv' && ignoreColumns) throw new UsageError('--ignore-columns: only CSV has columns');
  await refuseInUse(rejects, [file, ...storeFiles]);
  // Those of an earlier import. What cannot be removed, such as a directory, cannot be opened either.
  if (rejects.endsWith(REJECTS)) await rm(rejects, { force: true }).catch(() => {});
  const output = resources.use(await openOutput(rejects, force));

  const started = performance.now();
  const progress: Progress = { stored: 0, existing: 0, rejected: 0, stopped: undefined };
  const result = () => {
    const existing = progress.existing > 0 ? ` (${whole(progress.existing)} already)` : '';
    return `${whole(progress.stored)} ${dryRun ? 'valid' : 'stored'}${existing}, ${whole(progress.rejected)} rejected`;
  };
  const shown = showProgress(host.stderr, result);
  resources.defer(shown.stop);
  const onRetry = (reason: string) => shown.say(`plant-store: retrying for up to ${retryFor} s: ${reason}`);
  const retry = retrying(retryFor * 1_000, signal, onRetry);

  const opening = dryRun ? Promise.resolve(nowhere) : untilAborted(retry(open), signal);
  const store = await opening.catch((cause: unknown) => {
    const reason = errorMessage(cause);
    if (!signal.aborted && !mayRecover(cause)) throw new UsageError(reason, { cause });
    throw new IncompleteError(`${reason}; nothing was imported: run the same import again`, { cause });
  });
  resources.defer(() => store.close());
  const lines = format === 'csv' ? readCsv(stream, ignoreColumns) : readNdjson(stream);
  const add = (plant: NewPlant) => retry(() => store.plants.add(plant));
  try {
    await pipeline(importPlants(lines, { add, keepGoing, signal, progress }), toNdjson, output.stream);
    if (progress.rejected > 0) await output.commit();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    progress.stopped ??= `cannot write ${rejects}: ${errorMessage(error)}`;
  }
  shown.stop();

  const seconds = (performance.now() - started) / 1_000;
  const where = progress.rejected > 0 ? ` (see ${printable(rejects)})` : '';
  const rate = whole(progress.stored / seconds);
  host.stdout.write(`${result()}${where}, in ${seconds.toFixed(1)} s (${rate}/s)\n`);
  const stopped = signal.aborted ? 'interrupted' : progress.stopped;
  if (stopped !== undefined) throw new IncompleteError(`stopped: ${stopped}; run the same import again`);
  if (progress.rejected > 0) host.exitCode = 1;
}

/** How the name of a file with rejected lines ends. */
const REJECTS = '.rejects.ndjson';

/** A line for each rejected one, `{"line":7,"reason":"…"}`. */
async function* toNdjson(rejects: AsyncIterable<Reject>): AsyncGenerator<string, void> {
  for await (const { line, reason } of rejects) yield `${JSON.stringify({ line, reason })}\n`;
}

/** For a dry run. */
const nowhere: Pick<PlantStore, 'plants' | 'close'> = {
  plants: { add: async () => ({ outcome: 'added' }) },
  close: async () => {},
};
