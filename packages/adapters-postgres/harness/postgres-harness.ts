import { join } from 'node:path';
import {
  type AdapterHarnessOptions,
  adapterHarness,
  type HarnessChanges,
  type StoreHarness,
} from '@plant-store/contracts-stores';
import { serverCapabilities } from '@plant-store/store-kit';
import { CompiledQuery } from 'kysely';
import { postgresExport } from '../src/export.ts';
import { migratePostgres } from '../src/migrations.ts';
import type { PostgresOptions } from '../src/options.ts';
import { openPostgres } from '../src/store.ts';
import { openSingle, runSql } from './run-sql.ts';
import { inDatabase, scratchSchema } from './scratch-schema.ts';

/**
 * Runs the contracts in scratch schemas of the database at the URL. It does not touch existing data.
 *
 * @param changes faults of a server that the test owns, or another time-out. By default an outage is a lock on the scratch table,
 *   and nothing is killed.
 */
export function storeHarness(url: string, changes?: HarnessChanges): StoreHarness {
  return harnessOf({
    scratchLocation: 'a scratch schema in the given database, which the user has to be allowed to create',
    scratch: () => scratchSchema(url),
    migrate: migratePostgres,
    open: openPostgres,
    export: postgresExport,
    opener: { module: join(import.meta.dirname, '../src/store'), name: 'openPostgres' },
    ...changes,
  });
}

/** Makes the harness of an adapter that uses PostgreSQL. */
export function harnessOf(
  adapter: Omit<AdapterHarnessOptions<PostgresOptions>, 'capabilities' | 'refuse'> &
    Pick<Required<AdapterHarnessOptions<PostgresOptions>>, 'export'>,
): StoreHarness {
  return adapterHarness({
    capabilities: serverCapabilities,
    refuse: ({ connectionString }, { id }) =>
      runSql(connectionString, `ALTER TABLE plants ADD CONSTRAINT refuse CHECK (id <> ${id})`),
    startOutage: lockPlants,
    // The type pads texts with spaces. UNLOGGED would not work on Citus.
    makeUnsafe: (options) => alter(options, 'ALTER name TYPE character(999)', 'ALTER name TYPE text'),
    refuseAll: (options) =>
      alter(
        options,
        "ADD planted_by text NOT NULL DEFAULT 'nobody', ALTER planted_by SET DEFAULT NULL",
        'DROP planted_by',
      ),
    misconfigured: ({ connectionString, ...options }) => ({
      ...options,
      connectionString: inDatabase(connectionString, 'plant_store_verify_none'),
    }),
    ...adapter,
    // Keeps the clauses about outages short.
    export: (options) => adapter.export({ ...options, dropAfterMs: 2_000 }),
  });
}

/** Alters the table. @returns a function that reverts the change. */
async function alter({ connectionString }: PostgresOptions, change: string, back: string) {
  await runSql(connectionString, `ALTER TABLE plants ${change}`);
  return async () => void (await runSql(connectionString, `ALTER TABLE plants ${back}`));
}

/** Blocks reads and writes of the table. @returns a function that ends the lock. */
async function lockPlants({ connectionString }: PostgresOptions): Promise<() => Promise<void>> {
  const db = openSingle(connectionString);
  const transaction = await db.startTransaction().execute();
  await transaction.executeQuery(CompiledQuery.raw('LOCK TABLE plants'));
  return async () => {
    await transaction.rollback().execute();
    await db.destroy();
  };
}
