import { resolved, show, type Tools, within } from '@plant-store/contracts-kit';
import type { PlantStore } from '@plant-store/domain';

import type { PreparedStore, StoreHarness } from './store-harness.ts';

/**
 * Opens a store on the place, every call of which is bounded: one that hangs is a broken promise that names it.
 * @param did what was done, for the message.
 */
export async function openBounded(
  { capabilities: { timeoutMs } }: StoreHarness,
  prepared: PreparedStore,
  tools: Tools,
  did = 'opened a store',
): Promise<PlantStore> {
  const answered = <T>(call: string, promise: Promise<T>) =>
    within(timeoutMs + SLACK_MS, tools, call, promise, `an answer, or an error, within ${timeoutMs} ms`);
  const opening = () => within(OPEN_OR_CLOSE_MS, tools, did, prepared.open(), 'it opens');
  const store = await resolved(did, opening, 'it opens');
  return {
    plants: { add: async (plant) => answered(`added ${show(plant)}`, store.plants.add(plant)) },
    check: async () => answered('called check()', store.check()),
    close: async () => within(OPEN_OR_CLOSE_MS, tools, 'called close()', store.close(), 'it resolves'),
  };
}

/** For the machine that the test runs on; the bound itself is the store's own. */
const SLACK_MS = 1_000;

/** The port bounds neither. Long enough for any store that is not stuck, well below the time that a clause has. */
const OPEN_OR_CLOSE_MS = 10_000;
