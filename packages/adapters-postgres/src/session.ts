// To cancel statements, this file uses fields of pg's client that its types do not declare. No other file does.

import { hash } from 'node:crypto';
import { StoreUnavailable } from '@plant-store/domain';
import { DriverSession, OWN } from '@plant-store/store-kit/sql';
import pg from 'pg';
import { postgresErrors } from './errors.ts';

/** A session of a PostgreSQL server, on a client of pg's pool. */
export class Session extends DriverSession {
  readonly #client: pg.PoolClient;
  readonly #preparesStatements: boolean;
  #syncWaitWarning: string | undefined;

  /** @param preparesStatements whether statements with values are prepared, so that the server parses each once. */
  constructor(client: pg.PoolClient, preparesStatements: boolean) {
    super();
    this.#client = client;
    this.#preparesStatements = preparesStatements;
    // The pool listens only while the client is idle. Without a listener a terminated backend would end this process.
    client.on('error', (error) => {
      this.fault ??= error;
    });
    client.on('notice', ({ routine, message }) => {
      // The message is localized and its code is that of every warning, so the server's function identifies it.
      if (routine === 'SyncRepWaitForLSN') this.#syncWaitWarning = message;
    });
  }

  /**
   * Runs a statement.
   *
   * @param config.query_timeout its timeout in milliseconds; `dropAfterMs` by default. After a timeout the connection is closed.
   * @throws {StoreUnavailable} if the wait for a standby was cancelled. PostgreSQL then only warns that the commit may be lost
   *   with the primary.
   * @throws {Error} any error of pg.
   */
  async query<Row extends pg.QueryResultRow | unknown[]>(
    config: pg.QueryConfig & { readonly rowMode?: 'array'; readonly query_timeout?: number },
  ): Promise<Omit<pg.QueryResult, 'rows'> & { rows: Row[] }> {
    this.assertUsable();
    const endsSession = config.text === 'rollback';
    if (this.#preparesStatements && config.values && config.values.length > 0)
      Object.assign(config, preparedStatement(config.text));
    else config.text = marked(config.text);
    this.#syncWaitWarning = undefined;
    const run = () =>
      this.#client.query(config).catch((error: Error) => {
        if (error.message === 'Query read timeout') this.#cancel();
        throw error;
      });
    const result = await this.track(run, postgresErrors, endsSession);
    if (this.#syncWaitWarning !== undefined) throw new StoreUnavailable(`PostgreSQL: ${this.#syncWaitWarning}`);
    return result as Omit<pg.QueryResult, 'rows'> & { rows: Row[] };
  }

  command(sql: string): Promise<unknown> {
    return this.query({ text: sql });
  }

  release(): void {
    this.#client.release(this.failure !== undefined);
  }

  destroy(): void {
    this.fault ??= new Error('the connection is closed');
    if (this.busySince === Infinity) return;
    this.#cancel();
    void this.#client.end();
  }

  /** Cancels the running statement before its connection is closed, so that the backend ends before a new connection starts one. */
  #cancel(): void {
    cancelStatement(this.#client as unknown as Backend);
  }
}

const marked = (text: string) => `${OWN} ${text}`;

/** Derives the name from the text alone, because a pooler shares it among clients of all versions. */
function preparedStatement(text: string): { readonly name: string; readonly text: string } {
  let statement = statements.get(text);
  if (!statement) {
    statement = { name: `plant-store-${hash('sha256', marked(text), 'hex').slice(0, 32)}`, text: marked(text) };
    statements.set(text, statement);
  }
  return statement;
}

const statements = new Map<string, { readonly name: string; readonly text: string }>();

/**
 * Asks the server to cancel the running statement (PostgreSQL documentation, «Canceling Requests in Progress»). Otherwise the
 * backend would wait for a lock or a standby behind a closed connection, and occupy a slot. The request holds a secret key, so it
 * uses TLS if the session does. The protocol has no response, and a failure to send is ignored.
 */
function cancelStatement({ host, port, processID, secretKey, ssl, sslNegotiation }: Backend): void {
  const request = new pg.Connection({ ssl, sslNegotiation } as never) as unknown as CancelRequest;
  const cancel = () => request.cancel(processID, secretKey);
  request.on('error', () => {});
  request.once('sslconnect', cancel);
  request.once('connect', () => {
    if (!ssl) cancel();
    else if (sslNegotiation !== 'direct') request.requestSsl();
  });
  if (host.startsWith('/')) request.connect(`${host}/.s.PGSQL.${port}`);
  else request.connect(port, host);
  const { stream } = request;
  stream.setTimeout(CANCEL_TIMEOUT_MS, () => stream.destroy()).unref();
}

/** 1.5 s: the default of `connectWithinMs`. */
const CANCEL_TIMEOUT_MS = 1_500;

interface Backend {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
  readonly ssl: unknown;
  readonly sslNegotiation: string;
}

interface CancelRequest extends NodeJS.EventEmitter {
  readonly stream: import('node:net').Socket;
  connect(portOrPath: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processID: number, secretKey: number): void;
}
