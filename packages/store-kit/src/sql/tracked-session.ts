import type { StoreErrors } from '../errors.ts';
import type { DriverSession } from './session-pool.ts';

/** What the sessions of all drivers have in common: when they responded, since when they are busy, and what has ended them. */
export abstract class TrackedSession implements DriverSession {
  readonly openedAt: number = performance.now();
  respondedAt: number = this.openedAt;
  busySince = Infinity;
  protected fault: Error | undefined;

  get failure(): Error | undefined {
    return this.fault;
  }

  abstract giveBack(): void;
  abstract destroy(): void;

  /** @throws what has left the session unusable: Kysely would roll back on a lost connection, and wait for that as long again. */
  protected assertUsable(): void {
    if (this.fault) throw this.fault;
  }

  /**
   * Runs a statement.
   *
   * @param endsSession whether the session is unusable if it fails: whoever has it next must not find a transaction.
   * @throws what it throws, or what has ended the session meanwhile.
   */
  protected async track<Result>(
    run: () => Promise<Result>,
    { isLost }: StoreErrors,
    endsSession: boolean,
  ): Promise<Result> {
    this.busySince = performance.now();
    try {
      const result = await run();
      this.respondedAt = performance.now();
      return result;
    } catch (error) {
      if (isLost(error) || endsSession) this.fault ??= error as Error;
      else this.respondedAt = performance.now();
      throw this.fault ?? error;
    } finally {
      this.busySince = Infinity;
    }
  }

  /** Why a session is destroyed now. */
  protected ended(): Error {
    const ms = Math.round(performance.now() - this.busySince);
    const isBusy = this.busySince < Infinity;
    return new Error(isBusy ? `the server did not end a statement within ${ms} ms` : 'the connection is closed');
  }
}
