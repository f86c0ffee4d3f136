import { openMemory } from '@plant-store/adapters-memory';
import { storeHarness } from '@plant-store/adapters-memory/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { storeContracts } from '@plant-store/contracts-stores';
import { StoreUnavailable } from '@plant-store/domain';
import { expect, test } from 'vitest';

// Memory can refuse no plant, which is what PR-16 needs.
describeContract(storeContracts, storeHarness(), { notChecked: ['PR-16'] });

test('reading once it is closed throws: an export would be complete and empty', async () => {
  const store = openMemory();
  await store.close();
  const reading = store.readAll()[Symbol.asyncIterator]();
  await expect(reading.next()).rejects.toThrow(new StoreUnavailable('the memory store is closed'));
});
