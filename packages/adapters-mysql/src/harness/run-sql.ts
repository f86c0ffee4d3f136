import { completeServerOptions } from '@plant-store/store-kit';
import type { Database } from '@plant-store/store-kit/sql';
import { CompiledQuery, type Kysely } from 'kysely';
import { openDatabase } from '../database.ts';

/** A database of which one connection is used at most. */
export function openOne(connectionString: string): Kysely<Database> {
  return openDatabase(completeServerOptions({ connectionString, poolSize: 1, connectWithinMs: 10_000 })).db;
}

/** Runs statements one after the other on a connection of their own. @returns the rows of the last. @throws what mysql2 throws. */
export async function runSql(
  connectionString: string,
  ...statements: readonly string[]
): Promise<readonly Record<string, unknown>[]> {
  const db = openOne(connectionString);
  try {
    return await db.connection().execute(async (session) => {
      let rows: readonly Record<string, unknown>[] = [];
      for (const statement of statements)
        ({ rows } = await session.executeQuery<Record<string, unknown>>(CompiledQuery.raw(statement)));
      return rows;
    });
  } finally {
    await db.destroy();
  }
}
