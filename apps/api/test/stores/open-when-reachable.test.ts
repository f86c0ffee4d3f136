import { StoreUnavailable } from '@plant-store/domain';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openWhenReachable } from '../../src/stores/open-when-reachable.ts';

test('the repository of a store that is not open yet is no promise, and has no method under a symbol', async () => {
  const open = () => Promise.reject(new StoreUnavailable('it starts'));
  const store = await openWhenReachable(open, { onUnavailable: vi.fn(), onOpen: vi.fn(), onFailure: vi.fn() });
  onTestFinished(() => store.close());
  expect(await store.plants).toBe(store.plants);
  expect(`${store.plants}`).toBe('[object Object]');
  await expect(store.plants.add({ id: 1n, name: 'Fern' })).rejects.toThrow('it starts');
});
