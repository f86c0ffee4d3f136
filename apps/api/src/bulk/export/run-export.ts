import { errorMessage, type Host, IncompleteError, openTarget, printable, UsageError } from '@plant-store/command-line';
import { type NewPlant, type PlantExport, StoreMisconfigured } from '@plant-store/domain';
import { readCommandConfig } from '../../config/index.ts';
import { exportUrlForms, isDatabaseUrl, storeAt } from '../../stores/index.ts';
import { interruption, untilAborted } from '../interruption.ts';
import { type Format, formatOf } from '../records/format.ts';
import { writeRecords } from '../records/write-records.ts';
import { showProgress } from '../show-progress.ts';
import { standardOutput } from './standard-output.ts';

/** The options of `plant-store export`. */
export interface ExportOptions {
  readonly url?: string;
  readonly format?: Format;
  readonly force?: boolean;
  readonly escapeFormulas?: boolean;
}

/**
 * Exports a store to a file.
 *
 * @throws {UsageError} if it cannot begin.
 * @throws {IncompleteError} if it could not finish.
 */
export async function runExport(
  file: string,
  { url, format = formatOf(file), force = false, escapeFormulas = false }: ExportOptions,
  environment: NodeJS.ProcessEnv,
  host: Host,
): Promise<void> {
  if (escapeFormulas && format !== 'csv') throw new UsageError('--escape-formulas: only CSV has formulas');
  const { plants, files } = await openExport(url, environment, host);
  using interrupted = interruption(host);
  await using target =
    file === '-' ? standardOutput(host.stdout) : await openTarget(file, { force, storeFiles: await files() });
  let done = 0;
  async function* counted(): AsyncGenerator<NewPlant, void> {
    for await (const plant of plants.readAll()) {
      yield plant;
      done += 1;
    }
  }
  const shown = showProgress(host.stderr, () => ({ done, rest: 'plants', bytes: undefined }));
  try {
    const records = writeRecords(counted(), { format, escapeFormulas, forTerminal: target.isTerminal });
    await untilAborted(target.write(records, interrupted.signal), interrupted.signal);
  } catch (error) {
    if (error instanceof StoreMisconfigured && done === 0) throw new UsageError(error.message, { cause: error });
    const reason = interrupted.signal.aborted ? 'interrupted' : errorMessage(error);
    throw new IncompleteError(`${reason}; the export is incomplete: run it again`, { cause: error });
  } finally {
    shown.stop();
  }
}

interface OpenExport {
  readonly plants: PlantExport;
  /** Files that the store consists of. */
  readonly files: () => Promise<readonly string[]>;
}

async function openExport(url: string | undefined, environment: NodeJS.ProcessEnv, host: Host): Promise<OpenExport> {
  if (url !== undefined && !isDatabaseUrl(url)) throw new UsageError(`--url: expected ${exportUrlForms}`);
  const { databaseUrl, databaseLimits } = readCommandConfig(environment, host, url);
  const onWarning = (message: string) => void host.stderr.write(`plant-store: ${printable(message)}\n`);
  const options = { ...databaseLimits, onError: () => {}, onWarning };
  const { export: open, files = async () => [] } = storeAt(databaseUrl, options);
  if (!open) throw new UsageError(`--url: a memory store cannot be exported; expected ${exportUrlForms}`);
  return { plants: await open(), files };
}
