import { join } from 'node:path';
import type { ExportHarness, PreparedExport, PreparedStore } from '@plant-store/contracts-stores';
import { startAdder } from '@plant-store/contracts-stores/crash';
import type { NewPlant, PlantExport, PlantStore } from '@plant-store/domain';
import { serverCapabilities } from '@plant-store/sql-store';
import { CompiledQuery } from 'kysely';
import { postgresExport } from '../export.ts';
import { migratePostgres } from '../migrations.ts';
import type { PostgresOptions } from '../options.ts';
import { openPostgres } from '../store.ts';
import { openOne, runSql } from './run-sql.ts';
import { type ScratchDatabase, scratchDatabase } from './scratch-database.ts';

/** What may be done to the server itself, if it belongs to the test. */
export interface Faults extends Pick<PreparedStore, 'failCommits' | 'killServer'> {
  /** Makes a database unable to answer; resolves with a function that ends that. */
  readonly startOutage: (databaseUrl: string) => Promise<() => Promise<void>>;
}

/** The adapter that is checked: this one, or one that stands on it. */
export interface CheckedAdapter {
  /** Makes an empty place beside the plants at the URL. */
  readonly scratch: (url: string) => Promise<ScratchDatabase>;
  readonly migrate: (options: PostgresOptions) => Promise<unknown>;
  readonly open: (options: PostgresOptions) => Promise<PlantStore>;
  readonly export: (options: PostgresOptions) => PlantExport;
  /** The program that adds plants until it is killed. */
  readonly addPlants: string;
}

/**
 * PostgreSQL in scratch databases of the server at the URL, or in scratch schemas of its database if the user may not
 * create databases. Existing data is left alone.
 *
 * @param faults none by default: an outage is then a lock on the scratch table, and the server is not killed.
 */
export function postgresHarness(url: string, faults?: Faults): ExportHarness {
  return harnessOf(
    {
      scratch: scratchDatabase,
      migrate: migratePostgres,
      open: openPostgres,
      export: postgresExport,
      addPlants: join(import.meta.dirname, 'add-plants'),
    },
    url,
    faults,
  );
}

/** The same of another adapter. */
export function harnessOf(adapter: CheckedAdapter, url: string, faults?: Faults): ExportHarness {
  return { capabilities: serverCapabilities, prepare: () => prepare(adapter, url, faults) };
}

async function prepare(
  adapter: CheckedAdapter,
  given: string,
  { startOutage, ...others }: Faults = { startOutage: lockPlants },
): Promise<PreparedExport> {
  await using resources = new AsyncDisposableStack();
  const { url: connectionString, drop } = await adapter.scratch(given);
  resources.defer(drop);
  await adapter.migrate({ connectionString });

  const toDispose = resources.move();
  let disposing: Promise<void> | undefined;
  return {
    ...others,
    startOutage: () => startOutage(connectionString),
    // A clause adds many at once: even a slow machine must not refuse some.
    open: (observer) => adapter.open({ connectionString, maxWaitMs: 60_000, ...(observer && { observer }) }),
    // An outage is waited for as long.
    export: () => adapter.export({ connectionString, dropAfterMs: 2_000 }),
    // Once: a second call gets the same error.
    dispose: () => (disposing ??= toDispose.disposeAsync()),
    refusedPlant: () => refuse(connectionString, { id: -7n, name: 'Heracleum mantegazzianum' }),
    addUntilKilled: (plants) =>
      toDispose.use(startAdder(adapter.addPlants, { options: { connectionString }, plants })).acknowledgedBeforeKill,
  };
}

/** Everything that reads or writes the table waits. */
async function lockPlants(url: string): Promise<() => Promise<void>> {
  const db = openOne(url);
  const transaction = await db.startTransaction().execute();
  await transaction.executeQuery(CompiledQuery.raw('LOCK TABLE plants'));
  return async () => {
    await transaction.rollback().execute();
    await db.destroy();
  };
}

async function refuse(url: string, plant: NewPlant): Promise<NewPlant> {
  await runSql(url, `ALTER TABLE plants ADD CONSTRAINT refuse CHECK (id <> ${plant.id})`);
  return plant;
}
