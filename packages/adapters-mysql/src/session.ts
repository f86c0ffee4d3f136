import type { Socket } from 'node:net';
import type { DriverSession } from '@plant-store/store-kit/sql';
import { format, type PoolConnection } from 'mysql2';
import { mysqlErrors, tooLarge } from './errors.ts';

/** A session of a MySQL server, on a connection of mysql2's pool. */
export class Session implements DriverSession {
  readonly openedAt: number = performance.now();
  respondedAt: number = this.openedAt;
  busySince = Infinity;
  /** The longest statement that the server takes, in bytes. */
  maxAllowedPacket = Infinity;
  readonly #connection: PoolConnection;
  readonly #socket: Socket;
  #failure: Error | undefined;

  /** @param socket the connection's: mysql2 only ends it, for which a server that hangs does not respond. */
  constructor(connection: PoolConnection, socket: Socket) {
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
    // Kysely would roll back on a lost connection, and wait for that as long again.
    if (this.#failure) throw this.#failure;
    const text = format(sql, values as never[]);
    // The first comparison is quick, and enough for nearly all.
    if (text.length * 3 >= this.maxAllowedPacket && Buffer.byteLength(text) >= this.maxAllowedPacket)
      throw tooLarge(this.maxAllowedPacket);
    this.busySince = performance.now();
    try {
      const result = await new Promise((resolve, reject) => {
        this.#connection.query({ sql: text, timeout }, (error, rows) => (error ? reject(error) : resolve(rows)));
      });
      this.respondedAt = performance.now();
      return result;
    } catch (error) {
      // Whoever has it next must not find a transaction, nor the isolation of one.
      if (mysqlErrors.isLost(error) || /^(begin|rollback)$/.test(sql)) this.#failure ??= error as Error;
      else this.respondedAt = performance.now();
      throw this.#failure ?? error;
    } finally {
      this.busySince = Infinity;
    }
  }

  get failure(): Error | undefined {
    return this.#failure ?? (this.#socket.destroyed ? new Error('the server closed it') : undefined);
  }

  giveBack(): void {
    if (this.failure) this.#connection.destroy();
    else this.#connection.release();
  }

  destroy(): void {
    const isBusy = this.busySince < Infinity;
    const ms = Math.round(performance.now() - this.busySince);
    const failure = new Error(
      isBusy ? `the server did not end a statement within ${ms} ms` : 'the connection is closed',
    );
    this.#failure ??= failure;
    this.#socket.destroy(failure);
  }
}
