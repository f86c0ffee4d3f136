import { type AddResult, type NewPlant, PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import type { BatchEngine } from '@plant-store/group-commit';
import { openPlantStore, type StoreObserver, unobserved } from '@plant-store/store-kit';
import { expect, onTestFinished, test } from 'vitest';

/** An engine in memory, as an adapter that is not for SQL writes it. */
function memoryEngine(changes: Partial<BatchEngine<NewPlant, AddResult>> = {}): BatchEngine<NewPlant, AddResult> {
  const stored = new Map<bigint, NewPlant>();
  return {
    async write(plants) {
      return plants.map((plant) => {
        const existing = stored.get(plant.id);
        if (!existing) stored.set(plant.id, plant);
        return existing ? { outcome: 'exists', plant: existing } : { outcome: 'added' };
      });
    },
    async probe() {},
    async close() {},
    ...changes,
  };
}

async function open(changes: Partial<BatchEngine<NewPlant, AddResult>> = {}) {
  const events: unknown[][] = [];
  let countWaiting = () => -1;
  const observer: StoreObserver = {
    ...unobserved,
    watchWaiting: (count) => (countWaiting = count),
    wrote: (outcome, items) => events.push(['wrote', outcome, items]),
    retried: () => events.push(['retried']),
    health: (failure) => events.push(['health', failure?.message]),
  };
  const store = await openPlantStore(memoryEngine(changes), { observer });
  onTestFinished(() => store.close());
  return { store, events, countWaiting: () => countWaiting() };
}

const plants = [1n, 2n, 3n].map((id) => ({ id, name: 'Fern' }));

test('a store without faults reports that it is healthy, and each plant in one write that is done', async () => {
  const { store, events, countWaiting } = await open();
  const adding = plants.map((plant) => store.plants.add(plant));
  expect(countWaiting()).toBe(3);
  await Promise.all(adding);
  expect(countWaiting()).toBe(0);
  const [first, ...writes] = events;
  expect(first).toEqual(['health', undefined]);
  expect(writes.every(([name, outcome]) => name === 'wrote' && outcome === 'done')).toBe(true);
  expect(writes.reduce((sum, [, , items]) => sum + Number(items), 0)).toBe(3);
});

test('a plant that is refused beside others counts as failed, and then alone as done', async () => {
  const { write } = memoryEngine();
  const { store, events } = await open({
    async write(batch, deadline) {
      const results = await write(batch, deadline);
      return results.map((result, at) => (batch[at]?.id === 2n ? new PlantRefused('no') : result));
    },
    classify: (error) => (PlantRefused.is(error) ? 'refused' : 'other'),
  });
  const results = await Promise.allSettled(plants.map((plant) => store.plants.add(plant)));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(events.filter(([name]) => name === 'wrote')).toEqual([
    ['wrote', 'done', 2],
    ['wrote', 'failed', 1],
    ['wrote', 'done', 1],
  ]);
});

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
