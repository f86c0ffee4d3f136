import { type AddResult, type NewPlant, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import type { BatchEngine } from '@plant-store/group-commit';
import { openPlantStore, type StoreObserver, unobserved } from '@plant-store/store-kit';
import { expect, onTestFinished, test } from 'vitest';

/** Opens a store on an engine that is not for SQL. */
async function open(changes: Pick<BatchEngine<NewPlant, AddResult>, 'probe' | 'close'>) {
  const events: unknown[][] = [];
  const observer: StoreObserver = {
    ...unobserved,
    health: (failure) => events.push(['health', failure?.message]),
  };
  const write = async (plants: readonly NewPlant[]) => plants.map((): AddResult => ({ outcome: 'added' }));
  const store = await openPlantStore({ write, ...changes }, { observer });
  onTestFinished(() => store.close());
  return { store, events };
}

test('a store that is opened in an outage rejects adds and reports its health; one that is misconfigured is closed', async () => {
  let outage: Error | undefined = new StoreUnavailable('frozen');
  let isClosed = false;
  const probe = async () => {
    if (outage) throw outage;
  };
  const close = async () => {
    isClosed = true;
  };
  const { store, events } = await open({ probe, close });
  await expect(store.plants.add({ id: 1n, name: '' })).rejects.toThrow(outage);
  expect(events).toEqual([['health', 'frozen']]);
  outage = undefined;
  await expect.poll(() => events, { timeout: 10_000 }).toContainEqual(['health', undefined]);
  expect(await store.plants.add({ id: 1n, name: '' })).toEqual({ outcome: 'added' });
  expect(isClosed).toBe(false);

  outage = new StoreMisconfigured('wrong password');
  await expect(open({ probe, close })).rejects.toThrow(outage);
  expect(isClosed).toBe(true);
});
