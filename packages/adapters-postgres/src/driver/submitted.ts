import pg from 'pg';

/** A row as PostgreSQL sends it: the text of each value, null for NULL. */
export type Row = readonly (string | null)[];

/** What a statement is run with. */
export interface Statement {
  readonly text: string;
  /** The text of each parameter, null for NULL. The statement casts it to its type. */
  readonly values: readonly (string | null)[];
}

/** Called once, when nothing runs any more: with an error if a statement fails, and with the rows that came. */
export type OnEnd = (error: Error | null, rows: readonly Row[]) => void;

/** Statements that pg's client sends when it is their turn, all at once, and whose rows it hands over as they come. */
export abstract class Submitted implements pg.Submittable {
  /** pg replaces it, to clear its timeout. */
  callback: OnEnd;
  readonly #rows: Row[] = [];

  constructor(callback: OnEnd) {
    this.callback = callback;
  }

  /** Writes the messages, without the Sync that ends them. */
  protected abstract send(connection: ProtocolConnection): void;

  submit(pgConnection: pg.Connection): void {
    const connection = pgConnection as unknown as ProtocolConnection;
    // One system call for all messages.
    connection.stream.cork();
    this.send(connection);
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
export interface ProtocolConnection {
  readonly stream: { cork(): void; uncork(): void };
  /** By name: what the server has parsed, as ParseComplete has told pg. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  parse(message: { readonly name: string; readonly text: string }): void;
  bind(message: { readonly statement: string; readonly values: Statement['values'] }): void;
  execute(): void;
  sync(): void;
}
