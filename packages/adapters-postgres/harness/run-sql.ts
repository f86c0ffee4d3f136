import { completeServerOptions, type Database } from '@plant-store/store-kit';
import { CompiledQuery, type Kysely } from 'kysely';
import { openDatabase } from '../src/database.ts';

/** Opens a database with one connection. A busy server may take seconds to create or drop a schema. */
export function openSingle(connectionString: string): Kysely<Database> {
  return openDatabase(
    completeServerOptions({ connectionString, poolSize: 1, connectWithinMs: 20_000, dropAfterMs: 20_000 }),
  ).db;
}

/**
 * Runs one statement on a connection of its own and resolves with its rows.
 *
 * @throws {StoreUnavailable} if the server cannot be reached; pg's `DatabaseError` if the server reports an error.
 */
export async function runSql(connectionString: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const db = openSingle(connectionString);
  try {
    return (await db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(sql))).rows;
  } finally {
    await db.destroy();
  }
}
