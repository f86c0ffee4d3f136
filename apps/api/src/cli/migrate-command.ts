import type { MigrateCommand, MigrationStatus, Storage } from '@plant-store/store-kit';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../errors.ts';
import { storageAdapters } from '../stores.ts';
import { configureStore } from './store-options.ts';

/** Adds the commands `migrate up`, `migrate status` and those of the adapters. */
export function addMigrateCommand(program: Command, environment: NodeJS.ProcessEnv): void {
  const migrate = program.command('migrate').description('manage the schema of the store');
  migrate
    .command('up')
    .description('bring the schema up to date')
    .action(async () => {
      const { storage } = await configureStore(environment);
      await print(await storage.migrate(), storage);
    });
  migrate
    .command('status')
    .description('show which migrations were applied; exit code 1 if one is missing')
    .action(async () => {
      const { storage } = await configureStore(environment);
      const status = await storage.status();
      await print(status, storage);
      if (status.some(({ applied }) => !applied)) process.exitCode = 1;
    });
  for (const { form, commands = [] } of storageAdapters)
    for (const { name, description, option } of commands) {
      const value = numberOption(option);
      migrate
        .command(name)
        .description(description)
        .addOption(value)
        .action(async (options: Readonly<Record<string, number>>) => {
          const { storage } = await configureStore(environment);
          const run = storage.commands?.[name];
          if (!run) throw new UsageError(`this store has no command ${name}; write ${form} in DATABASE_URL`);
          const status = await storage.migrate();
          await run(options[value.attributeName()]);
          await print(status, storage);
        });
    }
}

function numberOption({ flags, description, max }: MigrateCommand['option']): Option {
  return new Option(flags, description).argParser((text) => {
    if (/^[1-9]\d*$/.test(text) && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(`Expected a whole number from 1 to ${max}.`);
  });
}

/** Prints the migrations, and what the store says of itself. */
async function print(status: MigrationStatus, storage: Storage): Promise<void> {
  const migrations = status.map(({ name, applied }) => `${applied ? 'applied' : 'missing'}  ${name}`);
  const details = (await storage.details?.()) ?? [];
  const lines = [...(migrations.length > 0 ? migrations : ['this store has no schema']), ...details];
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}
