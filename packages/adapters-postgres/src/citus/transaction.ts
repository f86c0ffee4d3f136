import pg from 'pg';
import type { Row, Statement } from '../driver/prepared-query.ts';

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

type OnEnd = (error: Error | null, rows: readonly Row[]) => void;

/** What pg's client calls on what is running, as it does on pg-cursor's. */
class Pipeline implements pg.Submittable {
  /** pg replaces it, to clear its timeout. */
  callback: OnEnd;
  readonly #statements: readonly Statement[];
  readonly #rows: Row[] = [];

  constructor(statements: readonly Statement[], callback: OnEnd) {
    this.#statements = statements;
    this.callback = callback;
  }

  submit(pgConnection: pg.Connection): void {
    const connection = pgConnection as unknown as ProtocolConnection;
    // One system call for all messages.
    connection.stream.cork();
    for (const { text, values } of this.#statements) {
      // Without a name: a pooler need not know it, and Citus plans each execution anyway.
      connection.parse({ name: '', text });
      connection.bind({ statement: '', values });
      connection.execute();
    }
    // After an error the server skips everything up to here.
    connection.sync();
    connection.stream.uncork();
  }

  handleDataRow({ fields }: { readonly fields: Row }): void {
    this.#rows.push(fields);
  }

  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.callback(error, []);
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#rows);
  }
}

/** What pg's types do not declare of its connection. */
interface ProtocolConnection {
  readonly stream: { cork(): void; uncork(): void };
  parse(message: { readonly name: string; readonly text: string }): void;
  bind(message: { readonly statement: string; readonly values: Statement['values'] }): void;
  execute(): void;
  sync(): void;
}
