import { openMemory } from '@plant-store/adapters-memory';
import { storeHarness } from '@plant-store/adapters-memory/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { storeContracts } from '@plant-store/contracts-stores';
import { StoreUnavailable } from '@plant-store/domain';
import { expect, test } from 'vitest';

// Memory can refuse no plant, which is what PR-16 needs.
describeContract(storeContracts, storeHarness(), { notChecked: ['PR-16'] });

test.each([
  ['adding', (store) => store.plants.add({ id: 1n, name: 'Fern' })],
  ['checking', (store) => store.check()],
  // Otherwise an export would be complete and empty.
  ['reading', (store) => store.readAll()[Symbol.asyncIterator]().next()],
] satisfies readonly [string, (store: ReturnType<typeof openMemory>) => Promise<unknown>][])(
  '%s once it is closed throws and says so',
  async (_, use) => {
    const store = openMemory();
    await store.close();
    await expect(use(store)).rejects.toThrow(new StoreUnavailable('the memory store is closed'));
  },
);
