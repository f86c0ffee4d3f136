import { type NewPlant, type PlantExport, StoreMisconfigured } from '@plant-store/domain';
import { readCommandConfig } from '../../config/index.ts';
import { errorMessage, IncompleteError, UsageError } from '../../errors.ts';
import { exportUrlForms, isDatabaseUrl, storeAt } from '../../stores/index.ts';
import { type Format, formatOf } from '../records/format.ts';
import { writeRecords } from '../records/write-records.ts';
import { showProgress } from '../show-progress.ts';
import { openTarget } from './target.ts';

/** The options of `plant-store export`. */
export interface ExportOptions {
  readonly url?: string;
  readonly format?: Format;
}

/**
 * Exports a store to a file.
 *
 * @throws {UsageError} if it cannot begin.
 * @throws {IncompleteError} if it could not finish.
 */
export async function runExport(
  file: string,
  { url, format = formatOf(file) }: ExportOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const plants = await openExport(url, environment);
  await using target = await openTarget(file);
  let done = 0;
  async function* counted(): AsyncGenerator<NewPlant, void> {
    for await (const plant of plants.readAll()) {
      yield plant;
      done += 1;
    }
  }
  const stopShowing = showProgress(process.stderr, () => ({ done, rest: 'plants', bytes: undefined }));
  try {
    await target.write(writeRecords(counted(), format));
  } catch (error) {
    if (error instanceof StoreMisconfigured && done === 0) throw new UsageError(error.message, { cause: error });
    throw new IncompleteError(`${errorMessage(error)}; the export is incomplete: run it again`, { cause: error });
  } finally {
    stopShowing();
  }
}

async function openExport(url: string | undefined, environment: NodeJS.ProcessEnv): Promise<PlantExport> {
  if (url !== undefined && !isDatabaseUrl(url)) throw new UsageError(`--url: expected ${exportUrlForms}`);
  const { databaseUrl, databaseLimits } = readCommandConfig(environment, url);
  const store = storeAt(databaseUrl, { ...databaseLimits, onError: () => {} });
  if (!store.export) throw new UsageError(`--url: a memory store cannot be exported; expected ${exportUrlForms}`);
  return store.export();
}
