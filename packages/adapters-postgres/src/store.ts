import { completeServerOptions, type SharedStorage } from '@plant-store/store-kit';
import { sqlStorage } from '@plant-store/store-kit/sql';
import { postgresDatabase } from './database.ts';
import type { PostgresOptions } from './options.ts';
import { openPool } from './pool.ts';

/** The storage on a PostgreSQL database, 15 or newer, which several processes may share. Concurrent adds share a commit. */
export function postgresStorage(options: PostgresOptions): SharedStorage {
  const completed = completeServerOptions(options);
  return sqlStorage((timeoutMs) => postgresDatabase(openPool(completed, timeoutMs), completed), completed);
}
