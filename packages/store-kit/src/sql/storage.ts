import type { CompleteServerOptions } from '../options.ts';
import { openPlantStore } from '../plant-store.ts';
import type { SharedStorage } from '../storage-adapter.ts';
import type { OpenSqlDatabase } from './database.ts';
import { sqlEngine } from './engine.ts';
import { exportPlants } from './export.ts';
import { applyMigrations, readMigrationStatus } from './migrations.ts';

/**
 * Makes the storage of a SQL database. In an outage, and until the database is migrated, an open store rejects adds. It recovers by itself.
 */
export function sqlStorage(
  open: OpenSqlDatabase,
  options: Omit<CompleteServerOptions, 'connectionString'>,
): SharedStorage {
  const { timeoutMs } = options;
  return {
    open: async () => openPlantStore(sqlEngine(open(timeoutMs, 'write')), options),
    migrate: async () => applyMigrations(open, timeoutMs),
    status: async () => readMigrationStatus(open(timeoutMs, 'read')),
    export: () => exportPlants(() => open(PAGE_TIMEOUTS * timeoutMs, 'read')),
  };
}

/** 5, so 10 s by default: a page has more plants than a batch, and nobody waits for it. */
const PAGE_TIMEOUTS = 5;
