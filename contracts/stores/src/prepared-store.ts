import { ContractViolation, resolved, type Tools } from '@plant-store/contracts-kit';
import type { NewPlant, PlantStore } from '@plant-store/domain';
import { openBounded } from './bounded-store.ts';
import type { PreparedStore, StoreHarness } from './store-harness.ts';

/** Prepares an empty place, passes it to the clause, and disposes of it in any case. */
export async function inPreparedStore(
  harness: StoreHarness,
  use: (prepared: PreparedStore) => Promise<void>,
): Promise<void> {
  const prepared = await resolved('called prepare()', () => harness.prepare(), 'it resolves with an empty place');
  try {
    await use(prepared);
  } catch (error) {
    // The clause's own failure says more than what goes wrong in the clean-up after it.
    await prepared.dispose().catch(() => {});
    throw error;
  }
  await resolved('called dispose()', () => prepared.dispose(), 'it frees the place');
}

/** The same with one store open on the place. */
export async function inOpenStore(
  harness: StoreHarness,
  tools: Tools,
  use: (store: PlantStore, prepared: PreparedStore) => Promise<void>,
): Promise<void> {
  await inPreparedStore(harness, (prepared) => inStoreOn(harness, prepared, tools, (store) => use(store, prepared)));
}

/**
 * Opens a store on a place, passes it to the clause, and closes it in any case.
 * @param action what was done, for the message if it does not open.
 */
export async function inStoreOn<T>(
  harness: StoreHarness,
  prepared: PreparedStore,
  tools: Tools,
  use: (store: PlantStore) => Promise<T>,
  action?: string,
): Promise<T> {
  const store = await openBounded(harness, prepared, tools, action);
  try {
    return await use(store);
  } finally {
    await closeQuietly(store);
  }
}

/** Closes a store in a clause that is about something else. Whether it closes properly is for PR-15 to check. */
export async function closeQuietly(store: PlantStore): Promise<void> {
  await store.close().catch(() => {});
}

/** Sets the place up to reject a plant, before a store is open on it; undefined if no such plant is known. */
export async function refusedPlantOf(prepared: PreparedStore): Promise<NewPlant | undefined> {
  const refusedPlant = prepared.refusedPlant?.bind(prepared);
  const expected = 'it resolves with a plant that the place will reject; no store is open on it yet';
  return refusedPlant && resolved('called refusedPlant()', refusedPlant, expected);
}

/** What a capability obliges the author to supply; leaving it out is a violation, not a skip. */
export function required<Name extends 'addUntilKilled' | 'startOutage'>(
  prepared: PreparedStore,
  name: Name,
  capability: string,
): NonNullable<PreparedStore[Name]> {
  const supplied = prepared[name]?.bind(prepared);
  if (supplied) return supplied as NonNullable<PreparedStore[Name]>;
  throw new ContractViolation(
    `looked for ${name}() in what prepare() resolved with`,
    'it is not there',
    `a store with the capability ${capability} is tested with ${name}(); supply it, or set ${capability} to false`,
  );
}
