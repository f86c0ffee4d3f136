import { type Row, runStatements, type Statement } from '@plant-store/adapters-postgres/driver';
import pg from 'pg';

/**
 * Runs statements in a transaction of their own, and returns their rows. All of it is sent at once: one round trip,
 * however many statements there are. None has a name: a pooler need not know it, and Citus plans each execution anyway.
 *
 * @throws what pg throws; then none of it was done, unless the failure is that of the commit or of the connection.
 */
export async function runInTransaction(
  client: pg.ClientBase,
  statements: readonly Statement[],
): Promise<readonly Row[]> {
  try {
    return await runStatements(client, [statement('begin'), ...statements, statement('commit')]);
  } catch (error) {
    // A connection that is lost or hangs has nothing to roll back.
    if (error instanceof pg.DatabaseError) await client.query('rollback');
    throw error;
  }
}

/** A statement without parameters. */
export function statement(text: string): Statement {
  return { text, values: [] };
}
