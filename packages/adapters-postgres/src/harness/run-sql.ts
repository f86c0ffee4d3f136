import { completeServerOptions } from '@plant-store/store-kit';
import type { Database } from '@plant-store/store-kit/sql';
import { CompiledQuery, type Kysely } from 'kysely';
import { openDatabase } from '../database.ts';

/** A database of which one connection is used at most. Creating and dropping one may take a busy server some time. */
export function openOne(connectionString: string): Kysely<Database> {
  return openDatabase(
    completeServerOptions({ connectionString, poolSize: 1, connectWithinMs: ENOUGH_MS, dropAfterMs: ENOUGH_MS }),
  ).db;
}

const ENOUGH_MS = 20_000;

/**
 * Runs one statement on a connection of its own and resolves with its rows.
 *
 * @throws {StoreUnavailable} when the server cannot be reached; what PostgreSQL reports comes as pg's `DatabaseError`.
 */
export async function runSql(connectionString: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const db = openOne(connectionString);
  try {
    return (await db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(sql))).rows;
  } finally {
    await db.destroy();
  }
}
