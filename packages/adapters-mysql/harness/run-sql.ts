import { completeOptions, type Database } from '@plant-store/store-kit';
import { CompiledQuery, type Kysely } from 'kysely';
import { openPool } from '../src/pool.ts';

/** Opens a database with one connection. */
export function openSingle(connectionString: string): Kysely<Database> {
  return openPool(completeOptions({ connectionString, poolSize: 1, connectWithinMs: 10_000 }), 60_000);
}

/** Runs statements in order on a connection of their own. @returns the rows of the last one. @throws {Error} mysql2's error. */
export async function runSql(
  connectionString: string,
  ...statements: readonly string[]
): Promise<readonly Record<string, unknown>[]> {
  const db = openSingle(connectionString);
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
