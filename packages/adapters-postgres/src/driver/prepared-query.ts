import type pg from 'pg';
import { type OnEnd, type ProtocolConnection, type Row, type Statement, Submitted } from './submitted.ts';

/**
 * Runs a statement once on a connection. With a name, the connection parses and plans it only the first time.
 *
 * pg's own Query clones its settings, asks for a description of the columns and converts every value by it: as much work
 * as all the rest of an insert. This one sends Bind, Execute and Sync, and returns the rows as they come.
 */
export function runStatement(client: pg.ClientBase, statement: Statement, name: string): Promise<readonly Row[]> {
  return new Promise((resolve, reject) => {
    client.query(new PreparedQuery(statement, name, (error, rows) => (error ? reject(error) : resolve(rows))));
  });
}

/** What pg's client calls on the statement that is running, as it does on pg-cursor's. */
class PreparedQuery extends Submitted {
  /** pg notes by them what the server has parsed. */
  readonly text: string;
  readonly name: string;
  readonly values: Statement['values'];

  constructor({ text, values }: Statement, name: string, callback: OnEnd) {
    super(callback);
    this.text = text;
    this.values = values;
    this.name = name;
  }

  protected override send(connection: ProtocolConnection): void {
    const { name, text, values } = this;
    if (connection.parsedStatements[name] === undefined) connection.parse({ name, text });
    connection.bind({ statement: name, values });
    connection.execute();
  }
}
