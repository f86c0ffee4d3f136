import { StoreUnavailable } from '@plant-store/domain';
import type { MigrateCommand, MigrationStatus, StoreAt } from '@plant-store/store-kit';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { IncompleteError, UsageError } from '../errors.ts';
import type { Host } from '../host.ts';
import { printable } from '../printable.ts';
import { storageAdapters, storeAt } from '../stores/index.ts';
import { callbacks, readStoreConfig } from './store-options.ts';

/** Adds the commands `migrate up`, `migrate status` and those of the adapters. */
export function addMigrateCommand(program: Command, environment: NodeJS.ProcessEnv, host: Host): void {
  const migrate = program.command('migrate').description('manage the schema of the store');
  const configuredStore = async () => storeAt(await readStoreConfig(environment, host), callbacks(host));
  migrate
    .command('up')
    .description('bring the schema up to date')
    .action(async () => {
      const store = await configuredStore();
      print(await store.migrate(), host);
      await printDetails(store, host);
    });
  migrate
    .command('status')
    .description('show which migrations were applied; exit code 1 if one is missing, 3 if the store cannot say')
    .action(async () => {
      const store = await configuredStore();
      const status = await store.status().catch((cause: unknown) => {
        throw StoreUnavailable.is(cause) ? new IncompleteError(cause.message, { cause }) : cause;
      });
      print(status, host);
      await printDetails(store, host);
      if (status.some(({ applied }) => !applied)) host.exitCode = 1;
    });
  for (const { form, commands = [] } of storageAdapters)
    for (const { name, description, option } of commands) {
      const value = numberOption(option);
      migrate
        .command(name)
        .description(description)
        .addOption(value)
        .action(async (options: Readonly<Record<string, number>>) => {
          const store = await configuredStore();
          const run = store.commands?.[name];
          if (!run) throw new UsageError(`this store has no command ${name}; write ${form} in DATABASE_URL`);
          print(await store.migrate(), host);
          await run(options[value.attributeName()]);
          await printDetails(store, host);
        });
    }
}

function numberOption({ flags, description, max }: MigrateCommand['option']): Option {
  return new Option(flags, description).argParser((text) => {
    if (/^[1-9]\d*$/.test(text) && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(`Expected a whole number from 1 to ${max}.`);
  });
}

function print(status: MigrationStatus, { stdout }: Host): void {
  const lines = status.map(({ name, applied }) => `${applied ? 'applied' : 'missing'}  ${printable(name)}`);
  stdout.write(`${lines.join('\n') || 'this store has no schema'}\n`);
}

async function printDetails(store: StoreAt, { stdout }: Host): Promise<void> {
  for (const line of (await store.details?.()) ?? []) stdout.write(`${printable(line)}\n`);
}
