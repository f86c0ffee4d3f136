import { setTimeout as sleep } from 'node:timers/promises';
import { ContractViolation, realTime } from '@plant-store/contracts-kit';
import { errorMessage, SetupError } from '@plant-store/contracts-kit/cli';
import { isSamePlant, type NewPlant, StoreUnavailable } from '@plant-store/domain';
import { closeQuietly, Fixture } from '../fixture.ts';
import { plantWith } from '../samples.ts';
import type { StoreHarness } from '../store-harness.ts';

/**
 * Checks first what would make every clause fail: that scratch databases can be prepared, open and answer, and are empty.
 * @throws {SetupError} if not.
 */
export async function assertUsable(harness: StoreHarness): Promise<void> {
  // The second one would have the plant of the first if all were the same database.
  for (const time of ['first', 'second']) {
    const prepared = await attempt('prepare a scratch database', () => harness.prepare());
    const plant = plantWith(1n, (field) => `${field} of the ${time} scratch database`);
    await assertEmpty(new Fixture(harness, prepared, tools), plant).finally(() => prepared.dispose().catch(() => {}));
  }
}

// realTime's sleep does not keep the process alive, and here nothing else does.
export const tools = { ...realTime, sleep: (ms: number) => sleep<void>(ms) };

async function assertEmpty(fixture: Fixture, plant: NewPlant): Promise<void> {
  const store = await attempt('open a store on a scratch database', () => fixture.open());
  try {
    const result = await store.plants.add(plant);
    if (result.outcome !== 'exists' || isSamePlant(result.plant, plant)) return;
    throw new SetupError(
      'a scratch database is not empty, because id 1 is taken: let prepare() make a new one each time',
    );
  } catch (error) {
    // The clauses say more of any other error.
    if (error instanceof SetupError) throw error;
    if (StoreUnavailable.is(error)) throw failure('add a plant to a scratch database', error);
  } finally {
    await closeQuietly(store);
  }
}

/** @throws {SetupError} if the call fails. */
export function attempt<T>(what: string, call: () => Promise<T>): Promise<T> {
  return call().catch((cause: unknown) => {
    throw failure(what, cause);
  });
}

function failure(what: string, cause: unknown): SetupError {
  const reason = cause instanceof ContractViolation ? cause.actual : errorMessage(cause);
  return new SetupError(`cannot ${what}: ${reason}`, { cause });
}
