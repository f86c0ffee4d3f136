import { type NewPlant, type PlantExport, StoreMisconfigured } from '@plant-store/domain';
import { type Command, Option } from 'commander';
import { command } from '../../cli/command.ts';
import { configOfCommand } from '../../config/config-of-command.ts';
import { reasonOf } from '../../error-message.ts';
import { StoppedEarly } from '../../incomplete-error.ts';
import { exportUrlForms, isDatabaseUrl, storeEngine } from '../../stores/engines.ts';
import { WrongUsage } from '../../usage-error.ts';
import { type Format, formatOf, formats } from '../records/format.ts';
import { writeRecords } from '../records/write-records.ts';
import { showProgress } from '../show-progress.ts';
import { openTarget } from './target.ts';

interface Options {
  readonly url?: string;
  readonly format?: Format;
}

/** `export`. */
export function exportCommand(environment: NodeJS.ProcessEnv): Command {
  return command('export', 'write every plant of a store to a file, as it is at one moment')
    .argument('[file]', 'NDJSON or CSV; - is standard output', '-')
    .option('--url <url>', `${exportUrlForms} (default: DATABASE_URL)`)
    .addOption(new Option('--format <format>', 'by default by the name of the file').choices(formats))
    .addHelpText('after', '\nExit code: 0 every plant is written, 2 called wrongly, 3 stopped early.')
    .action((file: string, options: Options) => runExport(file, options, environment));
}

async function runExport(file: string, { url, format }: Options, environment: NodeJS.ProcessEnv): Promise<void> {
  if (url !== undefined && !isDatabaseUrl(url)) throw new WrongUsage(`--url: expected ${exportUrlForms}`);
  const { databaseUrl, databaseLimits } = configOfCommand(
    url === undefined ? environment : { ...environment, DATABASE_URL: url },
  );
  const { export: open } = storeEngine(databaseUrl, () => {}, databaseLimits);
  const exported: PlantExport | undefined = open?.();
  if (!exported)
    throw new WrongUsage('--url: nobody else can see what this store keeps; name one that can be exported');

  const written = format ?? formatOf(file);
  await using target = await openTarget(file);
  let done = 0;
  async function* counted(): AsyncGenerator<NewPlant, void> {
    for await (const plant of exported?.readAll() ?? []) {
      yield plant;
      done += 1;
    }
  }
  const records = writeRecords(counted(), written);
  const stopShowing = showProgress(process.stderr, () => ({ done, rest: 'plants', bytes: undefined }));
  try {
    await target.write(records);
  } catch (error) {
    if (error instanceof StoreMisconfigured && done === 0) throw new WrongUsage(error.message, { cause: error });
    throw new StoppedEarly(`${reasonOf(error)}; the export is incomplete: run it again`, { cause: error });
  } finally {
    stopShowing();
  }
}
