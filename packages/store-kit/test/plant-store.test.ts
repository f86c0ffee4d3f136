import { StoreMisconfigured, StoreOverloaded, StoreUnavailable } from '@plant-store/domain';
import { openPlantStore, type PlantEngine, type StoreObserver, UnsafeStore, unobserved } from '@plant-store/store-kit';
import { expect, test, vi } from 'vitest';

const added = { done: { outcome: 'added' } } as const;

const open = (engine: Partial<PlantEngine>, options = {}) =>
  openPlantStore(
    {
      write: async (plants) => plants.map(() => added),
      probe: async () => {},
      close: async () => {},
      ...engine,
    } as PlantEngine,
    { observer: unobserved, ...options },
  );

test('an absent tag and an empty one stay different, in what is written and in the results of equal ids', async () => {
  const write = vi.fn<PlantEngine['write']>(async (plants) => plants.map(() => added));
  const { plants } = open({ write });
  const adding = [
    { id: 1n, name: 'a', tag: '' },
    { id: 1n, name: 'b' },
    { id: 2n, name: 'c' },
    { id: 2n, name: 'd', tag: '' },
  ].map((plant) => plants.add(plant));
  expect(await Promise.all(adding)).toStrictEqual([
    { outcome: 'added' },
    { outcome: 'exists', plant: { name: 'a', tag: '' } },
    { outcome: 'added' },
    { outcome: 'exists', plant: { name: 'c' } },
  ]);
  expect(write.mock.calls[0]?.[0]).toStrictEqual([
    { id: 1n, name: 'a', tag: '' },
    { id: 2n, name: 'c' },
  ]);
});

test('equal ids get the plant that had the id before', async () => {
  const { plants } = open({
    write: async (batch) => batch.map(() => ({ done: { outcome: 'exists', plant: { name: 'earlier' } } })),
  });
  const results = await Promise.all(['a', 'b'].map((name) => plants.add({ id: 1n, name })));
  expect(results).toEqual(Array(2).fill({ outcome: 'exists', plant: { name: 'earlier' } }));
});

test.each([
  [1, 'the row of plant 1: end its transaction (see a view)', 'a view'],
  [3, 'rows among those of plants 1, 2, 3: end its transaction', undefined],
  [4, 'rows among those of plants 1, 2, 3, …: end its transaction (see a view)', 'a view'],
])('%i plants whose rows stay locked are rejected with who to ask', async (count, rows, sessionsView) => {
  const engine: Partial<PlantEngine> = {
    write: async (batch) => batch.map(() => 'conflict'),
    settle: async (batch) => batch.map(() => 'conflict'),
  };
  const { plants } = open(engine, { timeoutMs: 500, sessionsView });
  const adding = Array.from({ length: count }, (_, at) => plants.add({ id: BigInt(at + 1), name: '' }));
  for (const { reason } of (await Promise.allSettled(adding)) as PromiseRejectedResult[]) {
    expect(reason).toBeInstanceOf(StoreUnavailable);
    expect(reason.message).toContain(`has locked ${rows}`);
  }
});

test('errors are the port’s, and figures go to an observer that may be of a class', async () => {
  class Observer implements StoreObserver {
    readonly told: unknown[] = [];
    watchWaiting(count: () => number) {
      this.told.push(count());
    }
    wrote(...write: unknown[]) {
      this.told.push(write.slice(0, 2));
    }
    watchConnections() {}
    retried() {
      this.told.push('retried');
    }
    circuit(state: string) {
      this.told.push(state);
    }
  }
  const observer = new Observer();
  const probe = vi.fn<() => Promise<void>>().mockRejectedValue(new UnsafeStore('not durable'));
  const store = open({ probe }, { observer, maxWaiting: 1 });
  const first = store.plants.add({ id: 1n, name: 'a' });
  const second = store.plants.add({ id: 2n, name: 'b' });
  await expect(second).rejects.toStrictEqual(new StoreOverloaded('1 adds are waiting for the store already'));
  expect(await first).toEqual({ outcome: 'added' });
  await expect(store.check()).rejects.toThrow(UnsafeStore);
  const refused = store.plants.add({ id: 3n, name: 'c' });
  await expect(refused).rejects.toStrictEqual(new StoreMisconfigured('not durable (circuit breaker open)'));
  await store.close();
  await expect(store.check()).rejects.toStrictEqual(new StoreUnavailable('the store is closed'));
  expect(observer.told).toEqual(['closed', 0, ['done', 1], 'open', 'closed']);
});

test('who keeps plants waiting is named once it is known', async () => {
  const lockedBy = () => 'pid 7, role "me"';
  const never = () => new Promise<never>(() => {});
  const late = open({ write: never }, { timeoutMs: 50, lockedBy });
  await expect(late.plants.add({ id: 1n, name: '' })).rejects.toThrow(
    'the store did not respond within 50 ms: pid 7, role "me" has locked the table plants, or rows of it',
  );
  const conflict = async (batch: readonly unknown[]) => batch.map(() => 'conflict' as const);
  const locked = open({ write: conflict, settle: conflict }, { timeoutMs: 500, lockedBy });
  await expect(locked.plants.add({ id: 1n, name: '' })).rejects.toThrow(
    /^pid 7, role "me" has locked the row of plant 1/,
  );
});
