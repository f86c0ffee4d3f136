import { type Host, IncompleteError, printable, UsageError } from '@plant-store/command-line';
import { StoreUnavailable } from '@plant-store/domain';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Distribution, type MigrationStatus, type StoreAt, storeAt } from '../stores/index.ts';

/** Adds `migrate up` and `migrate status`. */
export function addMigrateCommand(program: Command, environment: NodeJS.ProcessEnv, host: Host): void {
  const migrate = program.command('migrate').description('manage the schema of the store');
  migrate
    .command('up')
    .description('bring the schema up to date')
    .addOption(
      new Option('--distribute <engine>', 'then distribute the plants by id over the nodes').choices(['citus']),
    )
    .addOption(
      new Option('--shards <number>', 'in so many shards (default: 4 for each node); with --distribute').argParser(
        numberOfShards,
      ),
    )
    .action(async ({ distribute, shards }: { distribute?: string; shards?: number }) => {
      if (shards !== undefined && !distribute) throw new UsageError('--shards: only with --distribute');
      const store = await configuredStore(environment, host);
      if (distribute && !store.distribute)
        throw new UsageError(`--distribute: this store cannot be distributed; write ${distribute}://… in DATABASE_URL`);
      print(await store.migrate(), host);
      printDistribution(distribute ? await store.distribute?.(shards) : await store.distribution?.(), host);
    });
  migrate
    .command('status')
    .description('show which migrations were applied; exit code 1 if one is missing, 3 if the store cannot say')
    .action(async () => {
      const store = await configuredStore(environment, host);
      const status = await store.status().catch((cause: unknown) => {
        throw cause instanceof StoreUnavailable ? new IncompleteError(cause.message, { cause }) : cause;
      });
      print(status, host);
      printDistribution(await store.distribution?.(), host);
      if (status.some(({ applied }) => !applied)) host.exitCode = 1;
    });
}

/** Up to as many as Citus allows. */
function numberOfShards(text: string): number {
  if (/^[1-9]\d*$/.test(text) && Number(text) <= MAX_SHARDS) return Number(text);
  throw new InvalidArgumentError(`Expected a whole number from 1 to ${MAX_SHARDS}.`);
}

/** MAX_SHARD_COUNT of Citus. */
const MAX_SHARDS = 64_000;

async function configuredStore(environment: NodeJS.ProcessEnv, host: Host): Promise<StoreAt> {
  const { readCommandConfig } = await import('../config/index.ts');
  const { databaseUrl, databaseLimits } = readCommandConfig(environment, host);
  const onWarning = (message: string) => void host.stderr.write(`plant-store: ${printable(message)}\n`);
  return storeAt(databaseUrl, { ...databaseLimits, onError: () => {}, onWarning });
}

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
