import type pg from 'pg';

/** A row as PostgreSQL sends it: the text of each value, null for NULL. */
export type Row = readonly (string | null)[];

/** What a statement is run with. */
export interface Statement {
  readonly text: string;
  /** The text of each parameter, null for NULL. The statement casts it to its type. */
  readonly values: readonly (string | null)[];
}

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

type OnEnd = (error: Error | null, rows: readonly Row[]) => void;

/** What pg's client calls on the statement that is running, as it does on pg-cursor's. */
class PreparedQuery implements pg.Submittable {
  readonly text: string;
  readonly values: Statement['values'];
  readonly name: string;
  /** pg replaces it, to clear its timeout. */
  callback: OnEnd;
  readonly #rows: Row[] = [];

  constructor({ text, values }: Statement, name: string, callback: OnEnd) {
    this.text = text;
    this.values = values;
    this.name = name;
    this.callback = callback;
  }

  submit(pgConnection: pg.Connection): void {
    const { name, text, values } = this;
    const connection = pgConnection as unknown as ProtocolConnection;
    // One system call for all messages.
    connection.stream.cork();
    if (connection.parsedStatements[name] === undefined) connection.parse({ name, text });
    connection.bind({ statement: name, values });
    connection.execute();
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
  /** By name: what the server has parsed, as ParseComplete has told pg. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  parse(message: { readonly name: string; readonly text: string }): void;
  bind(message: { readonly statement: string; readonly values: Statement['values'] }): void;
  execute(): void;
  sync(): void;
}
