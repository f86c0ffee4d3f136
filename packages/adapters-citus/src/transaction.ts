import {
  type OnEnd,
  type ProtocolConnection,
  type Row,
  type Statement,
  Submitted,
} from '@plant-store/adapters-postgres/driver';
import pg from 'pg';

/**
 * Runs statements in a transaction of their own, and returns their rows. All of it is sent at once: one round trip,
 * however many statements there are.
 *
 * @throws what pg throws; then none of it was done, unless the failure is that of the commit or of the connection.
 */
export async function runInTransaction(
  client: pg.ClientBase,
  statements: readonly Statement[],
): Promise<readonly Row[]> {
  try {
    return await new Promise((resolve, reject) => {
      const all = [statement('begin'), ...statements, statement('commit')];
      client.query(new Pipeline(all, (error, rows) => (error ? reject(error) : resolve(rows))));
    });
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

/** What pg's client calls on what is running, as it does on pg-cursor's. */
class Pipeline extends Submitted {
  readonly #statements: readonly Statement[];

  constructor(statements: readonly Statement[], callback: OnEnd) {
    super(callback);
    this.#statements = statements;
  }

  protected override send(connection: ProtocolConnection): void {
    for (const { text, values } of this.#statements) {
      // Without a name: a pooler need not know it, and Citus plans each execution anyway.
      connection.parse({ name: '', text });
      connection.bind({ statement: '', values });
      connection.execute();
    }
  }
}
