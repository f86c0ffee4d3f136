import type { Socket } from 'node:net';
import { TrackedSession } from '@plant-store/store-kit/sql';
import { format, type PoolConnection } from 'mysql2';
import { mysqlErrors, tooLarge } from './errors.ts';

/** A session of a MySQL server, on a connection of mysql2's pool. */
export class Session extends TrackedSession {
  /** The longest statement that the server takes, in bytes. */
  maxAllowedPacket = Infinity;
  readonly #connection: PoolConnection;
  readonly #socket: Socket;

  /** @param socket the connection's: mysql2 only ends it, for which a server that hangs does not respond. */
  constructor(connection: PoolConnection, socket: Socket) {
    super();
    this.#connection = connection;
    this.#socket = socket;
  }

  /**
   * Runs a statement, with values in place of its question marks, and resolves with what mysql2 does: rows, or `affectedRows`
   * and so on. A list of lists becomes `(…), (…)`.
   *
   * @param timeout how long it may take, in milliseconds; the pool bounds every other one.
   * @throws what mysql2 throws, which holds the statement.
   */
  async query(sql: string, values: readonly unknown[] = [], timeout = 0): Promise<unknown> {
    this.assertUsable();
    const text = format(sql, values as never[]);
    // The first comparison is quick, and enough for nearly all.
    if (text.length * 3 >= this.maxAllowedPacket && Buffer.byteLength(text) >= this.maxAllowedPacket)
      throw tooLarge(this.maxAllowedPacket);
    const run = () =>
      new Promise((resolve, reject) => {
        this.#connection.query({ sql: text, timeout }, (error, rows) => (error ? reject(error) : resolve(rows)));
      });
    // The isolation of a transaction is that of the next one, if it has not begun.
    return this.track(run, mysqlErrors, /^(begin|rollback)$/.test(sql));
  }

  override get failure(): Error | undefined {
    return this.fault ?? (this.#socket.destroyed ? new Error('the server closed it') : undefined);
  }

  giveBack(): void {
    if (this.failure) this.#connection.destroy();
    else this.#connection.release();
  }

  destroy(): void {
    const failure = this.ended();
    this.fault ??= failure;
    this.#socket.destroy(failure);
  }
}
