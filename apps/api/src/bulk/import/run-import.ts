import { readCommandConfig } from '../../config/index.ts';
import { errorMessage, IncompleteError, UsageError } from '../../errors.ts';
import { isDatabaseUrl } from '../../stores/index.ts';
import { formatOf } from '../records/format.ts';
import { readCsv } from '../records/read-csv.ts';
import { readNdjson } from '../records/read-ndjson.ts';
import { showProgress, whole } from '../show-progress.ts';
import { assertAnotherFile } from './another-file.ts';
import { openDestination } from './destination.ts';
import { importPlants, type Progress, type Stop } from './import-plants.ts';
import type { ImportOptions } from './options.ts';
import { openRejects } from './rejects.ts';
import { type RetryOptions, retry } from './retry.ts';
import { openSource } from './source.ts';

/**
 * Imports a file and prints the result.
 *
 * @throws {UsageError} if it cannot begin.
 * @throws {IncompleteError} if it could not finish.
 */
export async function runImport(file: string, options: ImportOptions, environment: NodeJS.ProcessEnv): Promise<void> {
  const isStore = options.url !== undefined && isDatabaseUrl(options.url);
  const config = readCommandConfig(environment, isStore ? options.url : undefined);
  const { fromLine, dryRun = false } = options;

  await using resources = new AsyncDisposableStack();
  const interruption = interrupted();
  const source = resources.use(await openSource(file, interruption));
  const format = options.format ?? formatOf(file);
  const progress: Progress = { stored: 0, rejected: 0, bytes: 0, skipped: undefined, waitingFor: undefined };
  const rejectsFile = options.rejects ?? `${file === '-' ? 'import' : file}.rejects.ndjson`;
  await assertAnotherFile(rejectsFile, file);

  const read = format === 'csv' ? readCsv : readNdjson;
  const verb = dryRun ? 'valid' : 'stored';
  const text = () => `${verb}, ${whole(progress.rejected)} rejected`;
  const started = performance.now();
  const stopShowing = showProgress(process.stderr, () => ({
    done: progress.stored,
    rest: progress.waitingFor === undefined ? text() : `${text()}, retrying: ${progress.waitingFor}`,
    bytes:
      source.size === undefined
        ? undefined
        : { done: progress.bytes, skipped: progress.skipped ?? 0, size: source.size },
  }));
  resources.defer(async () => stopShowing());

  const retrying: RetryOptions = {
    forMs: options.retryFor * 1_000,
    signal: interruption,
    onWait: (reason) => {
      progress.waitingFor = reason;
    },
  };
  const destination = await openDestination(options, config, environment['API_TOKEN'], resources, retrying);
  const rejects = await openRejects(rejectsFile, fromLine > 1);
  resources.defer(() => rejects.close());
  const stop = await importPlants(read(source.chunks, { maxBytes: config.bodyLimit, fromLine }), {
    create: (plant) => retry(() => destination.create(plant), retrying),
    fromLine,
    concurrency: options.concurrency ?? destination.concurrency,
    onRejected: rejects.write,
    signal: interruption,
    progress,
  }).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    const soFar = `${whole(progress.stored)} ${text()}`;
    throw new IncompleteError(`${errorMessage(error)}; ${soFar}; run the same import again`, { cause: error });
  });
  stopShowing();

  const seconds = (performance.now() - started) / 1_000;
  const where = progress.rejected > 0 ? ` (see ${rejectsFile})` : '';
  const rate = whole(progress.stored / seconds);
  process.stdout.write(`${whole(progress.stored)} ${text()}${where}, in ${seconds.toFixed(1)} s (${rate}/s)\n`);
  if (stop) throw new IncompleteError(howToContinue(stop));
  if (progress.rejected > 0) process.exitCode = 1;
}

function howToContinue({ line, reason }: NonNullable<Stop>): string {
  return line === undefined
    ? `stopped at ${reason}; fix it, then run the same import again`
    : `stopped at line ${line}: ${reason}; to continue, run the same import with --from-line ${line}`;
}

/** Aborted by the first SIGINT or SIGTERM, after which plants in flight are completed; a second one exits. */
function interrupted(): AbortSignal {
  const controller = new AbortController();
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(3);
    controller.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return controller.signal;
}
