import { StoreMisconfigured, StoreOverloaded, StoreUnavailable } from '@plant-store/domain';
import { openPlantStore, type PlantEngine, StoreUnsafe, unobserved } from '@plant-store/store-kit';
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

test.each([
  [1, {}, 'another session has locked the row of plant 1: end its transaction'],
  [3, { sessionsView: 'a view' }, 'rows among those of plants 1, 2, 3: end its transaction (see a view)'],
  [1, { waitsFor: () => 'a standby' }, 'commits wait for a standby, and so does an earlier add of the row of plant 1'],
  [4, { lockedBy: () => 'pid 7' }, 'pid 7 has locked rows among those of plants 1, 2, 3, …: end its transaction'],
])('%i plants whose rows stay locked are rejected with what to do: %o', async (count, locks, message) => {
  const conflict = async (batch: readonly unknown[]) => batch.map(() => 'conflict' as const);
  const { plants } = open({ write: conflict, settle: conflict }, { timeoutMs: 500, ...locks });
  const adding = Array.from({ length: count }, (_, at) => plants.add({ id: BigInt(at + 1), name: '' }));
  for (const { reason } of (await Promise.allSettled(adding)) as PromiseRejectedResult[]) {
    expect(reason).toBeInstanceOf(StoreUnavailable);
    expect(reason.message).toContain(message);
  }
});

test('errors are the port’s', async () => {
  const probe = vi.fn<() => Promise<void>>().mockRejectedValue(new StoreUnsafe('not durable'));
  const store = open({ probe }, { maxWaiting: 1 });
  const [first, second, third] = [1n, 2n, 3n].map((id) => store.plants.add({ id, name: '' }));
  await expect(second).rejects.toThrow(/^1 adds are waiting for the store, the oldest for \d+ ms$/);
  await expect(third).rejects.toThrow(StoreOverloaded);
  expect(await first).toEqual({ outcome: 'added' });
  await expect(store.check()).rejects.toThrow(StoreUnsafe);
  const refused = new StoreMisconfigured('not durable (circuit breaker open)');
  await expect(store.plants.add({ id: 4n, name: '' })).rejects.toStrictEqual(refused);
  await store.close();
  await expect(store.check()).rejects.toStrictEqual(new StoreUnavailable('the store is closed'));
});

test('errors of another copy of domain open the circuit, too', async () => {
  const unsafe = Object.assign(new Error('not durable'), { code: StoreUnsafe.code });
  const store = open({ probe: () => Promise.reject(unsafe) });
  await expect(store.check()).rejects.toBe(unsafe);
  const refused = new StoreMisconfigured('not durable (circuit breaker open)');
  await expect(store.plants.add({ id: 1n, name: '' })).rejects.toStrictEqual(refused);
  await store.close();
});

test('the other ports of an engine become ports of the store, in time and until it is closed', async () => {
  class Finder {
    readonly name = 'Fern';
    async find(id: bigint) {
      return id === 7n ? this.name : new Promise(() => {});
    }
  }
  // As if domain had a further port.
  const store = open({ ports: { finder: new Finder() } as object }, { timeoutMs: 100 });
  const { finder } = store as unknown as { finder: Finder };
  expect(await finder.find(7n)).toBe('Fern');
  await expect(finder.find(8n)).rejects.toStrictEqual(new StoreUnavailable('the store did not respond within 100 ms'));
  const closing = store.close();
  await expect(finder.find(7n)).rejects.toStrictEqual(new StoreUnavailable('the store is closed'));
  await closing;
});
