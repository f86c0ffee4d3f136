import {
  errorMessage,
  type Host,
  IncompleteError,
  interruption,
  printable,
  showProgress,
  UsageError,
  untilAborted,
  whole,
} from '@plant-store/command-line';
import { isSameFile } from '@plant-store/command-line/files';
import type { NewPlant, PlantStore } from '@plant-store/domain';
import { type Format, formatOf } from '../records/format.ts';
import { readCsv } from '../records/read-csv.ts';
import { readNdjson } from '../records/read-ndjson.ts';
import { withoutMark } from '../records/without-mark.ts';
import { importPlants, type Progress } from './import-plants.ts';
import { openRejects, REJECTS, writeRejects } from './rejects.ts';
import { mayRecover, retried } from './retry.ts';
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
  /** @param onWarning is told whom a migration waits for. */
  open(onWarning: (message: string) => void): Promise<PlantStore>;
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
  await using resources = new AsyncDisposableStack();
  const { signal } = resources.use(interruption(host));
  const { stream, size } = await openSource(file, host.stdin, signal);
  resources.defer(() => void stream.destroy());
  const { format = formatOf(file), rejects = `${file === '-' ? 'import' : file}${REJECTS}` } = options;
  if (format !== 'csv' && ignoreColumns) throw new UsageError('--ignore-columns: only CSV has columns');
  if (file !== '-' && (await isSameFile(rejects, file)))
    throw new UsageError(`${rejects} is the file to import: pass another file with --rejects`);
  const target = resources.use(await openRejects(rejects, { force, storeFiles }));

  const started = performance.now();
  const progress: Progress = { stored: 0, existing: 0, rejected: 0, bytes: 0, stopped: undefined };
  const rest = () => {
    const existing = progress.existing > 0 ? ` (${whole(progress.existing)} already)` : '';
    return `${dryRun ? 'valid' : 'stored'}${existing}, ${whole(progress.rejected)} rejected`;
  };
  const shown = showProgress(host.stderr, () => ({
    done: progress.stored,
    rest: rest(),
    share: size && progress.bytes / size,
  }));
  resources.defer(shown.stop);
  const say = (notice: string) => shown.say(`plant-store: ${notice}`);
  const onRetry = (reason: string) => say(`retrying for up to ${retryFor} s: ${reason}`);
  const retrying = { forMs: retryFor * 1_000, signal, onRetry };

  const opening = dryRun ? nowhere : untilAborted(retried(() => open(say), retrying)(), signal);
  const store = await Promise.resolve(opening).catch((cause: unknown) => {
    const reason = signal.aborted ? 'interrupted' : errorMessage(cause);
    if (!signal.aborted && !mayRecover(cause)) throw new UsageError(reason, { cause });
    throw new IncompleteError(`${reason}; nothing was imported: run the same import again`, { cause });
  });
  resources.defer(() => store.close());
  const add = retried((plant: NewPlant) => store.plants.add(plant), retrying);
  const chunks = withoutMark(stream);
  const lines = format === 'csv' ? readCsv(chunks, ignoreColumns) : readNdjson(chunks);
  const importing = writeRejects(target, importPlants(lines, { add, keepGoing, signal, progress }));
  await untilAborted(importing, signal, DRAIN_MS).catch((error: unknown) => {
    if (error instanceof UsageError && progress.bytes === 0) throw error;
    progress.stopped ??= signal.aborted ? 'interrupted' : `cannot write ${rejects}: ${errorMessage(error)}`;
  });
  shown.stop();

  const { stored, rejected, stopped } = progress;
  const seconds = (performance.now() - started) / 1_000;
  const where = rejected > 0 ? ` (see ${printable(rejects)})` : '';
  host.stdout.write(`${whole(stored)} ${rest()}${where}, in ${seconds.toFixed(1)} s (${whole(stored / seconds)}/s)\n`);
  if (stopped !== undefined) throw new IncompleteError(`stopped: ${stopped}; run the same import again`);
  if (rejected > 0) host.exitCode = 1;
}

/** For a dry run. */
const nowhere: Pick<PlantStore, 'plants' | 'close'> = {
  plants: { add: async () => ({ outcome: 'added' }) },
  close: async () => {},
};

/** 5 s: more than twice the time in which a store completes a plant. */
const DRAIN_MS = 5_000;
