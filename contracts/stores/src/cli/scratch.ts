import { constants } from 'node:os';
import { CLAUSE_TIMEOUT_MS, ContractViolation, within } from '@plant-store/contracts-kit';
import { commandTime, errorMessage, SetupError } from '@plant-store/contracts-kit/cli';
import { StoreUnavailable } from '@plant-store/domain';
import { closeQuietly, Fixture } from '../fixture.ts';
import { plainPlant } from '../samples.ts';
import type { PreparedStore, StoreHarness } from '../store-harness.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Drops all scratch databases of its harnesses at the end, and on SIGINT, SIGTERM or SIGHUP, which end the process. */
export class Scratch implements AsyncDisposable {
  readonly #inUse = new Set<Promise<PreparedStore>>();
  readonly #onSignal = (signal: (typeof signals)[number]) =>
    void this.#dropAll().finally(() => process.exit(128 + constants.signals[signal]));

  constructor() {
    for (const signal of signals) process.once(signal, this.#onSignal);
  }

  /** Returns the harness, whose databases are dropped here. */
  of(harness: StoreHarness): StoreHarness {
    const prepare = async () => {
      // Awaited at the end even after its clause has timed out.
      const preparing = within(CLAUSE_TIMEOUT_MS, commandTime, 'called prepare()', harness.prepare());
      this.#inUse.add(preparing);
      const prepared = await preparing;
      return { ...prepared, dispose: () => prepared.dispose().then(() => void this.#inUse.delete(preparing)) };
    };
    return { ...harness, prepare };
  }

  async #dropAll(): Promise<void> {
    for (const preparing of this.#inUse) await (await preparing.catch(() => undefined))?.dispose().catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const signal of signals) process.off(signal, this.#onSignal);
    await this.#dropAll();
  }
}

/** Checks first what would make every clause fail. @throws {SetupError} if a scratch database cannot be prepared, opened or written. */
export async function assertUsable(harness: StoreHarness): Promise<void> {
  const prepared = await attempt('prepare a scratch database', () => harness.prepare());
  const fixture = new Fixture(harness, prepared, commandTime);
  const store = await attempt('open a store on a scratch database', () => fixture.open());
  // The clauses say more of any other error.
  const adding = store.plants.add(plainPlant(1)).catch((error) => StoreUnavailable.is(error) && Promise.reject(error));
  await attempt('add a plant to a scratch database', () => adding);
  await closeQuietly(store);
  await attempt('drop a scratch database', () => prepared.dispose());
}

/** @throws {SetupError} if the call fails. */
export function attempt<T>(what: string, call: () => Promise<T>): Promise<T> {
  return call().catch((cause: unknown) => {
    const reason = cause instanceof ContractViolation ? cause.actual : errorMessage(cause);
    throw new SetupError(`cannot ${what}: ${reason}`, { cause });
  });
}
