import pg from 'pg';

/** A row as PostgreSQL sends it: the text of each value, null for NULL. */
export type Row = readonly (string | null)[];

/** What a statement is run with. */
export interface Statement {
  readonly text: string;
  /** The text of each parameter, null for NULL. The statement casts it to its type. */
  readonly values: readonly (string | null)[];
}

/**
 * Runs statements on a connection, and returns their rows. All of them are sent at once. With a name, the connection parses
 * and plans the one statement only the first time.
 *
 * pg's own Query clones its settings, asks for a description of the columns and converts every value by it: as much work
 * as all the rest of an insert. This one sends Bind, Execute and Sync, and returns the rows as they come.
 */
export function runStatements(
  client: pg.ClientBase,
  statements: readonly [Statement, ...Statement[]],
  name = '',
): Promise<readonly Row[]> {
  return new Promise((resolve, reject) => {
    client.query(new Submitted(statements, name, (error, rows) => (error ? reject(error) : resolve(rows))));
  });
}

/** Called once, when nothing runs any more: with an error if a statement fails, and with the rows that came. */
type OnEnd = (error: Error | null, rows: readonly Row[]) => void;

/** What pg's client calls on what is running, as it does on pg-cursor's. */
class Submitted implements pg.Submittable {
  /** pg replaces it, to clear its timeout. */
  callback: OnEnd;
  /** pg notes by both what the server has parsed. */
  readonly name: string;
  readonly text: string;
  readonly #statements: readonly Statement[];
  readonly #rows: Row[] = [];

  constructor(statements: readonly [Statement, ...Statement[]], name: string, callback: OnEnd) {
    this.callback = callback;
    this.name = name;
    this.text = statements[0].text;
    this.#statements = statements;
  }

  submit(pgConnection: pg.Connection): void {
    const connection = pgConnection as unknown as ProtocolConnection;
    // One system call for all messages.
    connection.stream.cork();
    const { name } = this;
    for (const { text, values } of this.#statements) {
      if (connection.parsedStatements[name] === undefined) connection.parse({ name, text });
      connection.bind({ statement: name, values });
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

  /** What the server reports is passed on once it takes another statement, or has closed the connection. */
  handleError(error: Error, connection: pg.Connection): void {
    const fail = () => {
      connection.off('readyForQuery', fail).off('end', fail);
      this.callback(error, this.#rows);
    };
    if (error instanceof pg.DatabaseError) connection.once('readyForQuery', fail).once('end', fail);
    else fail();
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
