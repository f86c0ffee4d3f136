import type { StoreErrors } from '../errors.ts';

/**
 * A session of a database server, on a connection of the driver's pool. It tracks the statements and the error that makes the
 * connection unusable. Times are those of `performance.now()`.
 */
export abstract class DriverSession {
  readonly openedAt: number = performance.now();
  /** The time of the server's last response. */
  respondedAt: number = this.openedAt;
  /** The start of the running statement; Infinity if none runs. */
  busySince = Infinity;
  protected fault: Error | undefined;

  /** Why the connection is unusable; undefined if it is usable. */
  get failure(): Error | undefined {
    return this.fault;
  }

  /** Returns the connection to the driver's pool, which closes it if it is unusable. */
  abstract release(): void;
  /** Closes the connection, so a running statement fails. The session must still be released. */
  abstract destroy(): void;

  /** Throws the error that made the session unusable, because Kysely would wait for a rollback on a lost connection. */
  protected assertUsable(): void {
    if (this.fault) throw this.fault;
  }

  /**
   * Runs a statement.
   *
   * @param endsSession whether the session is unusable if the statement fails, because a transaction may then be open.
   * @throws the statement's error, or the error that made the session unusable meanwhile.
   */
  protected async track<Result>(
    run: () => Promise<Result>,
    { isConnectionLost }: StoreErrors,
    endsSession: boolean,
  ): Promise<Result> {
    this.busySince = performance.now();
    try {
      const result = await run();
      this.respondedAt = performance.now();
      return result;
    } catch (error) {
      if (isConnectionLost(error) || endsSession) this.fault ??= error as Error;
      else this.respondedAt = performance.now();
      throw this.fault ?? error;
    } finally {
      this.busySince = Infinity;
    }
  }

  /** Makes the error for a session that is being destroyed. */
  protected destroyedError(): Error {
    const ms = Math.round(performance.now() - this.busySince);
    const isBusy = this.busySince < Infinity;
    return new Error(isBusy ? `the server did not end a statement within ${ms} ms` : 'the connection is closed');
  }
}

/** The comment before each statement, by which the server's list of sessions shows ours, even behind a pooler. */
export const OWN = '/* plant-store */';
