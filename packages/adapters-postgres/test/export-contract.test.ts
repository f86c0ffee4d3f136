import { postgresExport } from '@plant-store/adapters-postgres';
import { postgresHarness } from '@plant-store/adapters-postgres/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { plantExportContract } from '@plant-store/contracts-stores';
import { StoreUnavailable } from '@plant-store/domain';
import { freshDatabase } from '@plant-store/testing-postgres';
import { expect, test } from 'vitest';
import { backends } from './backends.ts';
import { openStore } from './open-store.ts';

test('an export that fails says so, as an outage', async () => {
  const plants = postgresExport({ connectionString: 'postgres://me@127.0.0.1:1/plants' }).readAll();
  await expect(plants[Symbol.asyncIterator]().next()).rejects.toThrow(StoreUnavailable);
});

describeContract(plantExportContract, postgresHarness(await freshDatabase()));

test('a reader that stops early leaves no connection on the server', async () => {
  const { store, url } = await openStore();
  await store.plants.add({ id: 1n, name: 'Fern' });
  const others = await backends(url);
  for await (const { id } of postgresExport({ connectionString: url }).readAll()) {
    expect(id).toBe(1n);
    expect(await backends(url, ...others)).toHaveLength(1);
    break;
  }
  await expect.poll(() => backends(url, ...others)).toEqual([]);
});
