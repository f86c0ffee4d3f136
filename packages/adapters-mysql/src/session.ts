import type { Socket } from 'node:net';
import { DriverSession, OWN } from '@plant-store/store-kit/sql';
import { format, type PoolConnection } from 'mysql2';
import { mysqlErrors, packetTooLarge } from './errors.ts';

/** A session of a MySQL server, on a connection of mysql2's pool. */
export class Session extends DriverSession {
  /** The longest statement that the server accepts, in bytes. */
  maxAllowedPacket = Infinity;
  readonly #connection: PoolConnection;
  readonly #socket: Socket;
  readonly #dropAfterMs: number;

  /**
   * @param socket the connection's socket, to close it even if the server hangs.
   * @param dropAfterMs the default timeout of a statement in milliseconds.
   */
  constructor(connection: PoolConnection, socket: Socket, dropAfterMs: number) {
    super();
    this.#connection = connection;
    this.#socket = socket;
    this.#dropAfterMs = dropAfterMs;
  }

  /**
   * Runs a statement with values for its question marks, and resolves with mysql2's result. A list of lists becomes `(…), (…)`.
   *
   * @param withinMs its timeout in milliseconds. After a timeout the connection is closed.
   * @throws {Error} mysql2's error, which holds the statement.
   */
  async query(sql: string, values: readonly unknown[] = [], withinMs = this.#dropAfterMs): Promise<unknown> {
    this.assertUsable();
    const timeout = withinMs < Infinity ? withinMs : 0;
    const text = `${OWN} ${format(sql, values as never[])}`;
    // A UTF-16 unit takes at most 3 bytes, so few statements have to be measured.
    if (text.length * 3 >= this.maxAllowedPacket && Buffer.byteLength(text) >= this.maxAllowedPacket)
      throw packetTooLarge(this.maxAllowedPacket);
    const run = () =>
      new Promise((resolve, reject) => {
        this.#connection.query({ sql: text, timeout }, (error, rows) => (error ? reject(error) : resolve(rows)));
      });
    // After a failed begin the isolation level would apply to the next transaction.
    return this.track(run, mysqlErrors, /^(begin|rollback)$/.test(sql));
  }

  command(sql: string): Promise<unknown> {
    return this.query(sql);
  }

  override get failure(): Error | undefined {
    return this.fault ?? (this.#socket.destroyed ? new Error('the server closed it') : undefined);
  }

  release(): void {
    if (this.failure) this.#connection.destroy();
    else this.#connection.release();
  }

  destroy(): void {
    this.fault ??= new Error('the connection is closed');
    this.#socket.destroy(this.fault);
  }
}
