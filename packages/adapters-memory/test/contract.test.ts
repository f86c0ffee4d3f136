import { openMemory } from '@plant-store/adapters-memory';
import { storeHarness } from '@plant-store/adapters-memory/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { storeContracts } from '@plant-store/contracts-stores';
import { StoreUnavailable } from '@plant-store/domain';
import { expect, test } from 'vitest';

// They need an engine that can reject a plant.
describeContract(storeContracts, storeHarness(), { notChecked: ['PR-16', 'PR-20', 'PR-26'] });

test('exporting a closed store throws, because the export would be empty', async () => {
  const store = openMemory();
  await store.close();
  const reading = store.readAll()[Symbol.asyncIterator]();
  await expect(reading.next()).rejects.toThrow(new StoreUnavailable('the memory store is closed'));
});
