import type { StoreErrors } from '../errors.ts';
import type { DriverSession } from './session-pool.ts';

/** Tracks the statements of a session: when they start, when the server responds, and which error makes it unusable. */
export abstract class TrackedSession implements DriverSession {
  readonly openedAt: number = performance.now();
  respondedAt: number = this.openedAt;
  busySince = Infinity;
  protected fault: Error | undefined;

  get failure(): Error | undefined {
    return this.fault;
  }

  abstract release(): void;
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
