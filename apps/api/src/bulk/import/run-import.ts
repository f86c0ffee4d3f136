import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { type CreatePlant, createPlant, StoreMisconfigured } from '@plant-store/domain';
import { configOfCommand } from '../../config/config-of-command.ts';
import { reasonOf } from '../../error-message.ts';
import { StoppedEarly } from '../../incomplete-error.ts';
import { databaseUrlForms, isDatabaseUrl } from '../../stores/engines.ts';
import { openStore } from '../../stores/open-store.ts';
import { WrongUsage } from '../../usage-error.ts';
import { formatOf } from '../records/format.ts';
import { readCsv } from '../records/read-csv.ts';
import { readNdjson } from '../records/read-ndjson.ts';
import { showProgress, whole } from '../show-progress.ts';
import { assertAnotherFile } from './another-file.ts';
import { createOverHttp } from './create-over-http.ts';
import { importPlants, type Progress } from './import-plants.ts';
import type { ImportCommandOptions } from './options.ts';
import { openRejects } from './rejects.ts';
import { type Retrying, retried } from './retried.ts';

/**
 * Imports a file and says what became of it.
 *
 * @throws {WrongUsage} when it cannot begin as it was called.
 * @throws {StoppedEarly} when it could not come to its end.
 */
export async function runImport(
  file: string,
  options: ImportCommandOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const config = configOfCommand(environment);
  const { fromLine, dryRun = false } = options;

  await using resources = new AsyncDisposableStack();
  const interruption = interrupted();
  const source = resources.use(await openSource(file, interruption));
  const format = options.format ?? formatOf(file);
  const progress: Progress = { stored: 0, refused: 0, bytes: 0, skipped: undefined, waitingFor: undefined };
  const rejectsFile = options.rejects ?? `${file === '-' ? 'import' : file}.rejects.ndjson`;
  await assertAnotherFile(rejectsFile, file);

  const read = format === 'csv' ? readCsv : readNdjson;
  const verb = dryRun ? 'could be stored' : 'stored';
  const text = () => `${verb}, ${whole(progress.refused)} refused`;
  const started = performance.now();
  const stopShowing = showProgress(process.stderr, () => ({
    done: progress.stored,
    rest: progress.waitingFor === undefined ? text() : `${text()}, waiting: ${progress.waitingFor}`,
    bytes:
      source.size === undefined
        ? undefined
        : { done: progress.bytes, skipped: progress.skipped ?? 0, size: source.size },
  }));
  resources.defer(async () => stopShowing());

  const retrying: Retrying = {
    forMs: options.retryFor * 1_000,
    signal: interruption,
    onWait: (reason) => {
      progress.waitingFor = reason;
    },
  };
  const destination = await openDestination(options, environment, resources, retrying);
  const rejects = await openRejects(rejectsFile, fromLine > 1);
  resources.defer(() => rejects.close());
  const stop = await importPlants(read(source.chunks, { maxBytes: config.bodyLimit, fromLine }), {
    create: (plant) => retried(() => destination.create(plant), retrying),
    fromLine,
    concurrency: options.concurrency ?? destination.concurrency,
    onRefused: rejects.write,
    signal: interruption,
    progress,
  }).catch((error: unknown) => {
    if (error instanceof WrongUsage) throw error;
    throw new StoppedEarly(`${reasonOf(error)}; ${progressSoFar()}run the same import again`, { cause: error });
  });
  stopShowing();

  function progressSoFar(): string {
    return `${whole(progress.stored)} ${text()}; `;
  }
  const seconds = (performance.now() - started) / 1_000;
  const where = progress.refused > 0 ? ` (see ${rejectsFile})` : '';
  const rate = whole(progress.stored / seconds);
  process.stdout.write(`${whole(progress.stored)} ${text()}${where}, in ${seconds.toFixed(1)} s (${rate}/s)\n`);
  if (stop) {
    const { line, reason } = stop;
    throw new StoppedEarly(
      line === undefined
        ? `stopped at ${reason}; with that mended, run the same import again`
        : `stopped at line ${line}: ${reason}; to go on, run the same import with --from-line ${line}`,
    );
  }
  if (progress.refused > 0) process.exitCode = 1;
}

interface Destination {
  readonly create: CreatePlant;
  /** How many plants are best created there at once. */
  readonly concurrency: number;
}

async function openDestination(
  { url, dryRun }: ImportCommandOptions,
  environment: NodeJS.ProcessEnv,
  resources: AsyncDisposableStack,
  retrying: Retrying,
): Promise<Destination> {
  if (dryRun) return { create: async (plant) => ({ outcome: 'created', plant }), concurrency: 1_000 };
  if (url !== undefined && /^https?:\/\//.test(url)) {
    const token = environment['API_TOKEN'];
    if (!token) throw new WrongUsage('API_TOKEN is not set: set it to a token that the service accepts');
    if (!VISIBLE_ASCII.test(token))
      throw new WrongUsage('API_TOKEN: expected visible ASCII characters alone, without a space or a line break');
    const address = URL.parse(url);
    if (!address || address.username || address.password || address.search || address.hash)
      throw new WrongUsage('--url: expected http://… of a running service, without a user and a password, ? and #');
    return { create: createOverHttp(url, token), concurrency: 64 };
  }
  if (url !== undefined && !isDatabaseUrl(url))
    throw new WrongUsage(`--url: expected ${databaseUrlForms}, or http://… of a running service`);
  const config = configOfCommand(url === undefined ? environment : { ...environment, DATABASE_URL: url });
  const opened = () =>
    openStore(config, () => {}).catch((cause: unknown) => {
      throw cause instanceof StoreMisconfigured ? new WrongUsage(cause.message, { cause }) : cause;
    });
  const store = await retried(opened, retrying).catch((cause: unknown) => {
    if (cause instanceof WrongUsage) throw cause;
    throw new StoppedEarly(`${reasonOf(cause)}; nothing was imported: run the same import again`, { cause });
  });
  resources.defer(() => store.close());
  // Twice what a store writes at once: while it writes, the next are waiting.
  return { create: createPlant(store.plants), concurrency: 1_000 };
}

/** What every token is made of (RFC 6750, section 2.1, allows less); a header with anything else is not even sent. */
const VISIBLE_ASCII = /^[!-~]+$/;

interface Source extends AsyncDisposable {
  readonly chunks: AsyncIterable<Buffer>;
  /** In bytes; undefined on a pipe. */
  readonly size: number | undefined;
}

/** Opens the file. A pipe may have nothing to read for a long time: an interruption ends the waiting. */
async function openSource(file: string, interruption: AbortSignal): Promise<Source> {
  if (file === '-')
    return {
      chunks: addAbortSignal(interruption, process.stdin),
      size: undefined,
      [Symbol.asyncDispose]: async () => {},
    };
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    throw new WrongUsage(`${file} cannot be read (${error.code}): give the path of a file that can`, { cause: error });
  });
  const stat = await handle.stat();
  if (stat.isDirectory()) {
    await handle.close();
    throw new WrongUsage(`${file} is a directory: give the path of a file`);
  }
  const stream = createReadStream(file, { fd: handle, autoClose: false, highWaterMark: 256 * 1024 });
  return {
    chunks: stream,
    size: stat.isFile() && stat.size > 0 ? stat.size : undefined,
    [Symbol.asyncDispose]: () => closed(handle),
  };
}

async function closed(handle: FileHandle): Promise<void> {
  await handle.close();
}

/** The first SIGINT or SIGTERM lets what is under way finish; a second one ends the process. */
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
