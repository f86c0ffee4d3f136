import {
  errorMessage,
  type Host,
  IncompleteError,
  interruption,
  printable,
  showProgress,
  UsageError,
  whole,
} from '@plant-store/command-line';
import { isSameFile } from '@plant-store/command-line/files';
import { formatOf } from '../records/format.ts';
import { readCsv } from '../records/read-csv.ts';
import { readNdjson } from '../records/read-ndjson.ts';
import { type Destination, nowhere, type Opening } from './destination.ts';
import type { ImportOptions } from './import-options.ts';
import { importPlants, type Progress, type Stop } from './import-plants.ts';
import { paced } from './pace.ts';
import { openRejects } from './rejects.ts';
import type { RetryOptions } from './retry.ts';
import { openSource } from './source.ts';

/**
 * Imports a file and prints the result on standard output, and the progress on standard error.
 *
 * @param file a path; `-` is standard input.
 * @param maxBytes of a line.
 * @param open opens where plants are created.
 * @throws {UsageError} if it cannot begin.
 * @throws {IncompleteError} if it could not finish.
 */
export async function importFile(
  file: string,
  options: ImportOptions,
  maxBytes: number,
  host: Host,
  open: (opening: Opening) => Promise<Destination>,
): Promise<void> {
  const { fromLine, concurrency, dryRun = false } = options;

  await using resources = new AsyncDisposableStack();
  const { signal } = resources.use(interruption(host));
  const source = resources.use(await openSource(file, host.stdin, signal));
  const format = options.format ?? formatOf(file);
  if (format !== 'csv' && (options.ignoreColumns || options.unescapeFormulas))
    throw new UsageError('--ignore-columns and --unescape-formulas: only CSV has columns and formulas');
  const progress: Progress = { stored: 0, rejected: 0, bytes: 0, skipped: undefined, waitingFor: undefined };
  const rejectsFile = options.rejects ?? `${file === '-' ? 'import' : file}.rejects.ndjson`;
  if (await isSameFile(rejectsFile, file === '-' ? '/dev/stdin' : file))
    throw new UsageError(`${rejectsFile} is the file to import: pass another file with --rejects`);

  const read = format === 'csv' ? readCsv : readNdjson;
  const verb = dryRun ? 'valid' : 'stored';
  const text = () => `${verb}, ${whole(progress.rejected)} rejected`;
  const started = performance.now();
  const shown = showProgress(host.stderr, () => ({
    done: progress.stored,
    rest: progress.waitingFor === undefined ? text() : `${text()}, retrying: ${progress.waitingFor}`,
    bytes:
      source.size === undefined
        ? undefined
        : { done: progress.bytes, skipped: progress.skipped ?? 0, size: source.size },
  }));
  resources.defer(async () => shown.stop());

  const retrying: RetryOptions = {
    forMs: options.retryFor * 1_000,
    signal,
    onWait: (reason) => {
      progress.waitingFor = reason;
    },
  };
  const say = (notice: string) => shown.say(`plant-store: ${notice}`);
  const opening = { resources, retrying, concurrency, onWarning: say };
  const destination = dryRun ? nowhere(opening) : await open(opening);
  for (const own of await destination.files())
    if (await isSameFile(rejectsFile, own))
      throw new UsageError(`${rejectsFile} is a file of the store: pass another file with --rejects`);
  const rejects = await openRejects(rejectsFile, fromLine > 1);
  resources.defer(() => rejects.close());
  const lines = read(source.chunks, {
    maxBytes,
    fromLine,
    ignoreColumns: options.ignoreColumns ?? false,
    unescapeFormulas: options.unescapeFormulas ?? false,
    onNotice: say,
  });
  const { create, first, max } = destination;
  const stop = await importPlants(lines, {
    create: paced(create, { ...retrying, first, max }),
    fromLine,
    concurrency: max,
    onRejected: rejects.write,
    signal,
    progress,
  }).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    const soFar = `${whole(progress.stored)} ${text()}`;
    throw new IncompleteError(`${errorMessage(error)}; ${soFar}; run the same import again`, { cause: error });
  });
  shown.stop();

  const seconds = (performance.now() - started) / 1_000;
  const where = progress.rejected > 0 ? ` (see ${rejectsFile})` : '';
  const rate = whole(progress.stored / seconds);
  host.stdout.write(`${whole(progress.stored)} ${text()}${printable(where)}, in ${seconds.toFixed(1)} s (${rate}/s)\n`);
  if (stop) throw new IncompleteError(howToContinue(stop));
  if (progress.rejected > 0) host.exitCode = 1;
}

function howToContinue({ line, reason }: NonNullable<Stop>): string {
  return line === undefined
    ? `stopped at ${reason}; fix it, then run the same import again`
    : `stopped at line ${line}: ${reason}; to continue, run the same import with --from-line ${line}`;
}
