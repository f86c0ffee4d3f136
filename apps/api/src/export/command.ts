import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { NewPlant, PlantExport } from '@plant-store/domain';
import { type Command, Option } from 'commander';
import { command } from '../command.ts';
import { readConfig } from '../config.ts';
import { showProgress } from '../import/show-progress.ts';
import { reasonOf } from '../reason-of.ts';
import { type Format, formatOf, formats } from '../records/format.ts';
import { writeRecords } from '../records/write-records.ts';
import { StoppedEarly } from '../stopped-early.ts';
import { databaseUrlForms, isDatabaseUrl, storeEngine } from '../stores.ts';
import { WrongUsage } from '../verify/wrong-usage.ts';

interface Options {
  readonly url?: string;
  readonly format?: Format;
}

/** `export`. */
export function exportCommand(environment: NodeJS.ProcessEnv): Command {
  return command('export', 'write every plant of a store to a file, as it is at one moment')
    .argument('[file]', 'NDJSON or CSV; - is standard output', '-')
    .option('--url <url>', `${databaseUrlForms} (default: DATABASE_URL)`)
    .addOption(new Option('--format <format>', 'by default by the name of the file').choices(formats))
    .addHelpText('after', '\nExit code: 0 every plant is written, 2 called wrongly, 3 stopped early.')
    .action((file: string, options: Options) => runExport(file, options, environment));
}

async function runExport(file: string, { url, format }: Options, environment: NodeJS.ProcessEnv): Promise<void> {
  if (url !== undefined && !isDatabaseUrl(url)) throw new WrongUsage(`--url: expected ${databaseUrlForms}`);
  const { databaseUrl, databaseLimits } = readConfig(
    url === undefined ? environment : { ...environment, DATABASE_URL: url },
  );
  const { export: open } = storeEngine(databaseUrl, () => {}, databaseLimits);
  const exported: PlantExport | undefined = open?.();
  if (!exported)
    throw new WrongUsage('--url: nobody else can see what this store keeps; name one that can be exported');

  let done = 0;
  async function* counted(): AsyncGenerator<NewPlant, void> {
    for await (const plant of exported?.readAll() ?? []) {
      yield plant;
      done += 1;
    }
  }
  const records = writeRecords(counted(), format ?? formatOf(file));
  const stopShowing = showProgress(process.stderr, () => ({ done, rest: 'plants', share: undefined }));
  try {
    await (file === '-' ? toStandardOutput(records) : toFile(records, file));
  } catch (error) {
    throw new StoppedEarly(`${reasonOf(error)}; the export is incomplete: run it again`, { cause: error });
  } finally {
    stopShowing();
  }
}

/** Whoever reads may leave early, as `head` does. */
async function toStandardOutput(records: AsyncIterable<string>): Promise<void> {
  await pipeline(records, process.stdout).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/** The file appears when it is whole. */
async function toFile(records: AsyncIterable<string>, file: string): Promise<void> {
  const draft = `${file}.incomplete`;
  try {
    await pipeline(records, createWriteStream(draft, { flush: true }));
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
