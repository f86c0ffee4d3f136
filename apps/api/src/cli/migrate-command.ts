import { StoreUnavailable } from '@plant-store/domain';
import type { Distribution, MigrationStatus } from '@plant-store/store-kit';
import { type Command, InvalidArgumentError } from 'commander';
import { IncompleteError, UsageError } from '../errors.ts';
import type { Host } from '../host.ts';
import { printable } from '../printable.ts';
import { storeAt } from '../stores/index.ts';
import { callbacks, readStoreConfig } from './store-options.ts';

/** Adds the commands `migrate up`, `migrate status` and `migrate distribute`. */
export function addMigrateCommand(program: Command, environment: NodeJS.ProcessEnv, host: Host): void {
  const migrate = program.command('migrate').description('manage the schema of the store');
  const configuredStore = async () => storeAt(await readStoreConfig(environment, host), callbacks(host));
  migrate
    .command('up')
    .description('bring the schema up to date')
    .action(async () => {
      const store = await configuredStore();
      print(await store.migrate(), host);
      printDistribution(await store.distribution?.(), host);
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
      printDistribution(await store.distribution?.(), host);
      if (status.some(({ applied }) => !applied)) host.exitCode = 1;
    });
  migrate
    .command('distribute')
    .description('bring the schema of Citus up to date, then distribute the plants by id over the nodes')
    .option('--shards <number>', 'in so many shards (default: 4 for each node)', numberOfShards)
    .action(async ({ shards }: { shards?: number }) => {
      const store = await configuredStore();
      if (!store.distribute) throw new UsageError('this store cannot be distributed; write citus://… in DATABASE_URL');
      print(await store.migrate(), host);
      printDistribution(await store.distribute(shards), host);
    });
}

/** Parses a number of shards within Citus's MAX_SHARD_COUNT. */
function numberOfShards(text: string): number {
  if (/^[1-9]\d*$/.test(text) && Number(text) <= MAX_SHARD_COUNT) return Number(text);
  throw new InvalidArgumentError(`Expected a whole number from 1 to ${MAX_SHARD_COUNT}.`);
}

const MAX_SHARD_COUNT = 64_000;

function print(status: MigrationStatus, { stdout }: Host): void {
  const lines = status.map(({ name, applied }) => `${applied ? 'applied' : 'missing'}  ${printable(name)}`);
  stdout.write(`${lines.join('\n') || 'this store has no schema'}\n`);
}

function printDistribution(distribution: Distribution | undefined, { stdout }: Host): void {
  if (!distribution) return;
  const { shards, nodes } = distribution;
  const on = nodes.length === 1 ? 'one node' : `${nodes.length} nodes`;
  stdout.write(`distributed  ${shards} shards on ${on}: ${printable(nodes.join(', '))}\n`);
}
