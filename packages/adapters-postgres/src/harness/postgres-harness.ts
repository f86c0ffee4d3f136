import { join } from 'node:path';
import {
  type AdapterHarnessOptions,
  adapterHarness,
  type ServerFaults,
  type StoreHarness,
} from '@plant-store/contracts-stores';
import { serverCapabilities } from '@plant-store/store-kit';
import { CompiledQuery } from 'kysely';
import { postgresExport } from '../export.ts';
import { migratePostgres } from '../migrations.ts';
import type { PostgresOptions } from '../options.ts';
import { openPostgres } from '../store.ts';
import { openOne, runSql } from './run-sql.ts';
import { inDatabase, scratchSchema } from './scratch-schema.ts';

/**
 * PostgreSQL in scratch schemas of the database at the URL. Existing data is left alone.
 *
 * @param faults none by default: an outage is then a lock on the scratch table, and the server is not killed.
 */
export function storeHarness(url: string, faults?: ServerFaults): StoreHarness {
  return harnessOf({
    scratchLocation: 'a scratch schema in the given database, which the user has to be allowed to create',
    scratch: () => scratchSchema(url),
    migrate: migratePostgres,
    open: openPostgres,
    export: postgresExport,
    opener: { module: join(import.meta.dirname, '../store'), name: 'openPostgres' },
    ...faults,
  });
}

/** The same of another adapter that stands on this one. */
export function harnessOf(
  adapter: Omit<AdapterHarnessOptions<PostgresOptions>, 'capabilities' | 'refuse'> &
    Pick<Required<AdapterHarnessOptions<PostgresOptions>>, 'export'>,
): StoreHarness {
  return adapterHarness({
    capabilities: serverCapabilities,
    refuse: ({ connectionString }, { id }) =>
      runSql(connectionString, `ALTER TABLE plants ADD CONSTRAINT refuse CHECK (id <> ${id})`),
    startOutage: lockPlants,
    // Texts are padded with spaces. Citus would not make it UNLOGGED.
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
    // An outage is waited for as long.
    export: (options) => adapter.export({ ...options, dropAfterMs: 2_000 }),
  });
}

/** Alters the table, and resolves with what alters it back. */
async function alter({ connectionString }: PostgresOptions, change: string, back: string) {
  await runSql(connectionString, `ALTER TABLE plants ${change}`);
  return async () => void (await runSql(connectionString, `ALTER TABLE plants ${back}`));
}

/** Everything that reads or writes the table waits. */
async function lockPlants({ connectionString }: PostgresOptions): Promise<() => Promise<void>> {
  const db = openOne(connectionString);
  const transaction = await db.startTransaction().execute();
  await transaction.executeQuery(CompiledQuery.raw('LOCK TABLE plants'));
  return async () => {
    await transaction.rollback().execute();
    await db.destroy();
  };
}
