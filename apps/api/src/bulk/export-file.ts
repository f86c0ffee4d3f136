import { pipeline } from 'node:stream/promises';
import { type NewPlant, type PlantExport, StoreMisconfigured } from '@plant-store/domain';
import { errorMessage, IncompleteError, UsageError } from '../errors.ts';
import type { Host } from '../host.ts';
import { type Output, openOutput } from './files.ts';
import { interruption, untilAborted } from './interruption.ts';
import { grouped, showProgress } from './progress.ts';
import { type Format, formatOf, writeRecords } from './records.ts';

/** The options of {@link exportFile}. */
export interface ExportOptions {
  readonly format?: Format;
  readonly force?: boolean;
}

/** The store to export. */
export interface ExportSource {
  readonly plants: PlantExport;
  /** The store's own files, which the export must not replace. */
  readonly storeFiles: readonly string[];
}

/**
 * Exports a store to a file, and prints the number of plants on standard error.
 *
 * @param file a path; `-` is standard output.
 * @throws {UsageError} if the export cannot start.
 * @throws {IncompleteError} if the export ended early.
 */
export async function exportFile(
  file: string,
  { format = file === '-' ? 'ndjson' : formatOf(file), force = false }: ExportOptions,
  host: Host,
  { plants, storeFiles }: ExportSource,
): Promise<void> {
  const signal = interruption(host);
  await using output = file === '-' ? standardOutput(host) : await openOutput(file, force, storeFiles);
  let exported = 0;
  async function* countedPlants(): AsyncGenerator<NewPlant, void> {
    for await (const plant of plants.readAll()) {
      yield plant;
      exported += 1;
    }
  }
  using progress = showProgress(host.stderr, () => `${grouped(exported)} plants`);
  try {
    await untilAborted(pipeline(writeRecords(countedPlants(), format), output.stream), signal);
    await output.commit();
    progress.say(`plants written: ${grouped(exported)}`);
  } catch (error) {
    // The reader has closed the pipe because it has read enough, as `head` does.
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return;
    if (StoreMisconfigured.is(error) && exported === 0) throw new UsageError(error.message, { cause: error });
    throw new IncompleteError(`${errorMessage(error)}; the export is incomplete: run it again`, { cause: error });
  }
}

function standardOutput({ stdout }: Host): Output {
  return { stream: stdout, async commit() {}, async [Symbol.asyncDispose]() {} };
}
