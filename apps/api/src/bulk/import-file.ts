import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createPlant, type PlantRepository, type PlantStore } from '@plant-store/domain';
import { errorMessage, IncompleteError, UsageError } from '../errors.ts';
import type { Host } from '../host.ts';
import { printable } from '../printable.ts';
import { retrying } from '../retrying.ts';
import { openOutput, openSource } from './files.ts';
import { importPlants, type Progress, RUN_AGAIN } from './import-plants.ts';
import { interruption, untilAborted } from './interruption.ts';
import { grouped, showProgress } from './progress.ts';
import type { Reject } from './records.ts';
import { type Format, formatOf, readCsv, readNdjson } from './records.ts';

/** The options of {@link importFile}. */
export interface ImportOptions {
  readonly format?: Format;
  readonly ignoreColumns?: boolean;
  /** The file for rejected lines; next to the imported file by default. */
  readonly rejects?: string;
  readonly force?: boolean;
  readonly keepGoing?: boolean;
  /** How long to retry while the store is unavailable, in seconds. */
  readonly retryFor: number;
  /** Whether to validate every line and store nothing. */
  readonly dryRun?: boolean;
}

/** The store that an import writes to. */
export interface Destination {
  open(): Promise<PlantStore>;
  /** Whether waiting may resolve this error. */
  mayRecover(error: unknown): boolean;
  readonly storeFiles: readonly string[];
}

/**
 * Imports a file. Prints the result on standard output and the progress on standard error.
 *
 * @param file a path; `-` is standard input.
 * @throws {UsageError} if the import cannot start.
 * @throws {IncompleteError} if the import ended early.
 */
export async function importFile(
  file: string,
  { force = false, ignoreColumns = false, keepGoing = false, retryFor, dryRun = false, ...options }: ImportOptions,
  host: Host,
  { open, mayRecover, storeFiles }: Destination,
): Promise<void> {
  const signal = interruption(host);
  await using resources = new AsyncDisposableStack();
  const stream = resources.use(await openSource(file, host.stdin, signal));
  const { format = formatOf(file), rejects = `${file === '-' ? 'import' : file}.rejects.ndjson` } = options;
  if (format !== 'csv' && ignoreColumns) throw new UsageError('--ignore-columns: only CSV has columns');
  // The default file may contain the rejects of an earlier import of the same file.
  const replacesRejects = options.rejects === undefined && file !== '-' && !dryRun;
  const output = resources.use(await openOutput(rejects, force || replacesRejects, [file, ...storeFiles]));

  const started = performance.now();
  const progress: Progress = { stored: 0, existing: 0, rejected: 0, stopped: undefined };
  const result = () => {
    const existing = progress.existing > 0 ? ` (${grouped(progress.existing)} already)` : '';
    return `${grouped(progress.stored)} ${dryRun ? 'valid' : 'stored'}${existing}, ${grouped(progress.rejected)} rejected`;
  };
  const shown = resources.use(showProgress(host.stderr, result));
  const onRetry = (reason: string) => shown.say(`plant-store: retrying for up to ${retryFor} s: ${reason}`);
  const retry = retrying({ everyMs: 500, forMs: retryFor * 1_000, mayRecover, signal, onRetry });

  let add: PlantRepository['add'] = async () => ({ outcome: 'added' });
  if (!dryRun) {
    const store = await untilAborted(retry(open), signal).catch((cause: unknown) => {
      const reason = errorMessage(cause);
      if (!signal.aborted && !mayRecover(cause)) throw new UsageError(reason, { cause });
      throw new IncompleteError(`${reason}; nothing was imported: ${RUN_AGAIN}`, { cause });
    });
    resources.defer(() => store.close());
    add = (plant) => retry(() => store.plants.add(plant));
  }
  const lines = format === 'csv' ? readCsv(stream, ignoreColumns) : readNdjson(stream);
  try {
    await pipeline(
      importPlants(lines, { createPlant: createPlant({ add }), keepGoing, signal, progress }),
      toNdjson,
      output.stream,
    );
    if (signal.aborted) progress.stopped = `interrupted; ${RUN_AGAIN}`;
    if (progress.rejected > 0) await output.commit();
    else if (replacesRejects && progress.stopped === undefined) await rm(rejects, { force: true });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    progress.stopped ??= `cannot write ${rejects}: ${errorMessage(error)}`;
  }
  shown[Symbol.dispose]();

  const seconds = (performance.now() - started) / 1_000;
  const where = progress.rejected > 0 ? ` (see ${printable(rejects)})` : '';
  const rate = grouped(progress.stored / seconds);
  host.stdout.write(`${result()}${where}, in ${seconds.toFixed(1)} s (${rate}/s)\n`);
  if (progress.stopped !== undefined) throw new IncompleteError(`stopped: ${progress.stopped}`);
  if (progress.rejected > 0) host.exitCode = 1;
}

/** Serializes each rejected line as `{"line":7,"reason":"…"}`. */
async function* toNdjson(rejects: AsyncIterable<Reject>): AsyncGenerator<string, void> {
  for await (const { line, reason } of rejects) yield `${JSON.stringify({ line, reason })}\n`;
}
