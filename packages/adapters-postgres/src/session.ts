// The one file that reads fields of pg's client which its types do not declare: pg has no other way to cancel a statement.

import { hash } from 'node:crypto';
import { StoreUnavailable } from '@plant-store/domain';
import { TrackedSession } from '@plant-store/store-kit/sql';
import pg from 'pg';
import { postgresErrors } from './errors.ts';

/** A session of a PostgreSQL server, on a client of pg's pool. */
export class Session extends TrackedSession {
  readonly #client: pg.PoolClient;
  readonly #hasNames: boolean;
  #cancelledWait: string | undefined;

  /** @param hasNames whether statements with values are prepared, so that the server plans each once. */
  constructor(client: pg.PoolClient, hasNames: boolean) {
    super();
    this.#client = client;
    this.#hasNames = hasNames;
    // The pool listens while the client is idle. Without a listener a terminated backend would end this process.
    client.on('error', (error) => {
      this.fault ??= error;
    });
    client.on('notice', ({ routine, message }) => {
      // By the function that warns: the message is in the server's language, and its code is that of any warning.
      if (routine === 'SyncRepWaitForLSN') this.#cancelledWait = message;
    });
  }

  /**
   * Runs a statement.
   *
   * @param config.query_timeout how long it may take, in milliseconds; the pool bounds every other one.
   * @throws {StoreUnavailable} when the wait for a standby was cancelled: PostgreSQL reports success then, with a warning that
   *   the commit may be lost with the primary. Otherwise what pg throws.
   */
  async query<Row extends pg.QueryResultRow | unknown[]>(
    config: pg.QueryConfig & { readonly rowMode?: 'array'; readonly query_timeout?: number },
  ): Promise<Omit<pg.QueryResult, 'rows'> & { rows: Row[] }> {
    this.assertUsable();
    if (this.#hasNames && config.values && config.values.length > 0) config.name = nameOf(config.text);
    this.#cancelledWait = undefined;
    const result = await this.track(() => this.#client.query(config), postgresErrors, config.text === 'rollback');
    if (this.#cancelledWait !== undefined) throw new StoreUnavailable(`PostgreSQL: ${this.#cancelledWait}`);
    return result as Omit<pg.QueryResult, 'rows'> & { rows: Row[] };
  }

  giveBack(): void {
    this.#client.release(this.failure !== undefined);
  }

  destroy(): void {
    this.fault ??= this.ended();
    if (this.busySince === Infinity) return;
    // First, so that its backend ends before a new connection has one.
    cancelStatement(this.#client as unknown as Backend);
    void this.#client.end();
  }
}

/** Of the text alone: behind a pooler, a name has to mean the same to every client and version. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `plant-store-${hash('sha256', text, 'hex').slice(0, 32)}`;
  names.set(text, name);
  return name;
}

const names = new Map<string, string>();

/**
 * Asks the server to cancel the statement that runs on a connection (PostgreSQL documentation, «Canceling Requests in
 * Progress»): its backend would otherwise go on waiting for a lock or a standby behind a closed connection, and hold the slot.
 * By TLS where the session has it: the request has a secret key. It has no response, and one that cannot be sent is ignored.
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
  stream.setTimeout(CANCEL_WITHIN_MS, () => stream.destroy()).unref();
}

/** 1.5 s, as long as connecting may take. */
const CANCEL_WITHIN_MS = 1_500;

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
