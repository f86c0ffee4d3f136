import type { Tools } from '@plant-store/contracts-kit';

/** A simulated server outside the process that a verifier has its keys from. */
export class KeyServer {
  readonly sleep: Tools['sleep'];
  /** Resolves when the outage has ended; undefined while there is none. */
  outage: Promise<void> | undefined;

  constructor({ sleep }: Tools) {
    this.sleep = sleep;
  }

  /** A round trip: a millisecond or, in an outage, until the outage has ended. */
  async fetchKeys(): Promise<void> {
    await this.sleep(1);
    await this.outage;
  }

  startOutage(): () => Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.outage = promise;
    return async () => {
      this.outage = undefined;
      resolve();
    };
  }
}
