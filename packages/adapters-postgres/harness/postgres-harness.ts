import { join } from 'node:path';
import {
  type AdapterHarnessOptions,
  adapterHarness,
  type HarnessChanges,
  type StoreHarness,
} from '@plant-store/contracts-stores';
import type { PlantStore } from '@plant-store/domain';
import { serverCapabilities } from '@plant-store/store-kit';
import type { PostgresOptions } from '../src/store.ts';
import { postgresStorage } from '../src/store.ts';
import { faults } from './faults.ts';
import { connect, runSql } from './run-sql.ts';
import { scratchSchema } from './scratch-schema.ts';

/**
 * Runs the contracts in scratch schemas of the database at the URL. It does not touch existing data.
 *
 * @param changes faults of a server that the test owns, or another time-out. By default an outage is a lock on the scratch table,
 *   and nothing is killed.
 */
export function storeHarness(url: string, changes?: HarnessChanges): StoreHarness {
  return createHarness({
    scratchLocation: 'a scratch schema in the given database, which the user has to be allowed to create',
    scratch: () => scratchSchema(url),
    migrate: (options) => postgresStorage(options).migrate(),
    open: openPostgres,
    // Keeps the clauses about outages short: a page has 5 s.
    export: (options) => postgresStorage({ ...options, timeoutMs: 1_000 }).export(),
    opener: { module: join(import.meta.dirname, 'postgres-harness'), name: 'openPostgres' },
    faults,
    ...changes,
  });
}

/** Opens a store, also in a process of its own. */
export const openPostgres = (options: PostgresOptions): Promise<PlantStore> => postgresStorage(options).open();

/** Makes the harness of an adapter that uses PostgreSQL. */
export function createHarness(
  adapter: Omit<AdapterHarnessOptions<PostgresOptions>, 'capabilities' | 'refuse'>,
): StoreHarness {
  return adapterHarness({
    capabilities: serverCapabilities,
    refuse: ({ connectionString }, { id }) =>
      runSql(connectionString, `ALTER TABLE plants ADD CONSTRAINT refuse CHECK (id <> ${id}) NOT VALID`),
    startOutage: lockPlants,
    ...adapter,
  });
}

/** Blocks reads and writes of the table. @returns a function that ends the lock. */
async function lockPlants({ connectionString }: PostgresOptions): Promise<() => Promise<void>> {
  const client = await connect(connectionString);
  await client.query('BEGIN; LOCK TABLE plants');
  return () => client.end();
}
