import { pipeline } from 'node:stream/promises';
import { type NewPlant, type PlantExport, StoreMisconfigured } from '@plant-store/domain';
import { errorMessage, IncompleteError, UsageError } from '../errors.ts';
import type { Host } from '../host.ts';
import { type Format, formatOf } from './format.ts';
import { interruption, untilAborted } from './interruption.ts';
import { type Output, openOutput } from './output.ts';
import { showProgress, whole } from './progress.ts';
import { writeRecords } from './write-records.ts';

/** How a store is exported. */
export interface ExportOptions {
  readonly format?: Format;
  readonly force?: boolean;
}

/** What is exported. */
export interface ExportSource {
  readonly plants: PlantExport;
  /** Files that the store consists of. */
  readonly storeFiles: readonly string[];
}

/**
 * Exports a store to a file, and says on standard error how many plants are in it.
 *
 * @param file a path; `-` is standard output.
 * @throws {UsageError} if it cannot begin.
 * @throws {IncompleteError} if it could not finish.
 */
export async function exportFile(
  file: string,
  { format = file === '-' ? 'ndjson' : formatOf(file), force = false }: ExportOptions,
  host: Host,
  { plants, storeFiles }: ExportSource,
): Promise<void> {
  const signal = interruption(host);
  await using output = file === '-' ? standardOutput(host) : await openOutput(file, force, storeFiles);
  let done = 0;
  async function* counted(): AsyncGenerator<NewPlant, void> {
    for await (const plant of plants.readAll()) {
      yield plant;
      done += 1;
    }
  }
  using progress = showProgress(host.stderr, () => `${whole(done)} plants`);
  try {
    await untilAborted(pipeline(writeRecords(counted(), format), output.stream), signal);
    await output.commit();
    progress.say(`plants written: ${whole(done)}`);
  } catch (error) {
    // The reader has closed the pipe, as `head` does, and had what it wanted.
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return;
    if (error instanceof StoreMisconfigured && done === 0) throw new UsageError(error.message, { cause: error });
    throw new IncompleteError(`${errorMessage(error)}; the export is incomplete: run it again`, { cause: error });
  }
}

function standardOutput({ stdout }: Host): Output {
  return { stream: stdout, async commit() {}, async [Symbol.asyncDispose]() {} };
}
