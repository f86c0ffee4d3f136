import { ContractViolation, resolved, type Tools } from '@plant-store/contracts-kit';
import type { PlantStore } from '@plant-store/domain';
import { openBounded } from './bounded-store.ts';

import type { PreparedStore, StoreHarness } from './store-harness.ts';

/** Prepares an empty place, hands it to the clause, and disposes of it whatever happens. */
export async function inPreparedStore(
  subject: StoreHarness,
  use: (prepared: PreparedStore) => Promise<void>,
): Promise<void> {
  const prepared = await resolved('called prepare()', () => subject.prepare(), 'it resolves with an empty place');
  try {
    await use(prepared);
  } catch (error) {
    // What the clause found says more than what goes wrong when its ruins are cleared away.
    await prepared.dispose().catch(() => {});
    throw error;
  }
  await resolved('called dispose()', () => prepared.dispose(), 'it frees the place');
}

/** The same with one store open on the place. */
export async function inOpenStore(
  subject: StoreHarness,
  tools: Tools,
  use: (store: PlantStore, prepared: PreparedStore) => Promise<void>,
): Promise<void> {
  await inPreparedStore(subject, (prepared) => inStoreOn(subject, prepared, tools, (store) => use(store, prepared)));
}

/**
 * Opens a store on a place, hands it to the clause, and closes it whatever happens.
 * @param did what was done, for the message where it does not open.
 */
export async function inStoreOn<T>(
  subject: StoreHarness,
  prepared: PreparedStore,
  tools: Tools,
  use: (store: PlantStore) => Promise<T>,
  did?: string,
): Promise<T> {
  const store = await openBounded(subject, prepared, tools, did);
  try {
    return await use(store);
  } finally {
    await closeQuietly(store);
  }
}

/** Closes a store in a clause that is about something else. Whether it closes as it should is for PR-15 to say. */
export async function closeQuietly(store: PlantStore): Promise<void> {
  await store.close().catch(() => {});
}

/** What a promise in the manifest obliges the author to supply; leaving it out is a broken promise, not a skip. */
export function required<Name extends 'addUntilKilled' | 'startOutage'>(
  prepared: PreparedStore,
  name: Name,
  promise: string,
): NonNullable<PreparedStore[Name]> {
  const supplied = prepared[name]?.bind(prepared);
  if (supplied) return supplied as NonNullable<PreparedStore[Name]>;
  throw new ContractViolation(
    `looked for ${name}() in what prepare() resolved with`,
    'it is not there',
    `a store that promises ${promise} is tested with ${name}(); supply it, or do not promise ${promise}`,
  );
}
