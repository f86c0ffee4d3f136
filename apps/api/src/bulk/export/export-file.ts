import { pipeline } from 'node:stream/promises';
import {
  errorMessage,
  type Host,
  IncompleteError,
  interruption,
  showProgress,
  UsageError,
  untilAborted,
  whole,
} from '@plant-store/command-line';
import { openTarget, type Target } from '@plant-store/command-line/files';
import { type NewPlant, type PlantExport, StoreMisconfigured } from '@plant-store/domain';
import { type Format, formatOf } from '../records/format.ts';
import { writeRecords } from '../records/write-records.ts';

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
  open: () => Promise<ExportSource>,
): Promise<void> {
  const { plants, storeFiles } = await open();
  using interrupted = interruption(host);
  const { signal } = interrupted;
  await using target = file === '-' ? standardOutput(host.stdout) : await openTarget(file, { force, storeFiles });
  let done = 0;
  let isComplete = false;
  async function* counted(): AsyncGenerator<NewPlant, void> {
    for await (const plant of plants.readAll()) {
      yield plant;
      done += 1;
    }
    isComplete = true;
  }
  const shown = showProgress(host.stderr, () => ({ done, rest: 'plants', share: undefined }));
  try {
    await untilAborted(target.write(writeRecords(counted(), format, target.isTerminal), signal), signal);
    // Otherwise the reader has closed the pipe and had what it wanted.
    if (isComplete) shown.say(`plants written: ${whole(done)}`);
  } catch (error) {
    if (error instanceof StoreMisconfigured && done === 0) throw new UsageError(error.message, { cause: error });
    const reason = signal.aborted ? 'interrupted' : errorMessage(error);
    throw new IncompleteError(`${reason}; the export is incomplete: run it again`, { cause: error });
  } finally {
    shown.stop();
  }
}

/** The reader may close the pipe early, as `head` does. */
function standardOutput(stdout: Host['stdout']): Target {
  return {
    isTerminal: stdout.isTTY === true,
    async write(text, signal) {
      await pipeline(text, stdout, { signal }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE') throw error;
      });
    },
    async [Symbol.asyncDispose]() {},
  };
}
