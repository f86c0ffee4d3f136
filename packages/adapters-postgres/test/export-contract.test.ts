import { postgresExport } from '@plant-store/adapters-postgres';
import { postgresHarness } from '@plant-store/adapters-postgres/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { plantExportContract } from '@plant-store/contracts-stores';
import { StoreUnavailable } from '@plant-store/domain';
import { freshDatabase } from '@plant-store/testing-postgres';
import { expect, test } from 'vitest';
import { lastOfPage } from '../src/export.ts';
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

test('a page ends with the plant that makes it 16 MiB, however few there are', () => {
  const MiB = 1024 * 1024;
  const plants = (...sizes: readonly number[]) => sizes.map((bytes, at) => ({ id: BigInt(at - 5), bytes }));
  expect(lastOfPage([])).toBeUndefined();
  expect(lastOfPage(plants(1, 2, 3))).toBe(-3n);
  expect(lastOfPage(plants(8 * MiB, 8 * MiB - 1, 1, 1))).toBe(-3n);
  expect(lastOfPage(plants(20 * MiB, 1))).toBe(-5n);
});

test('plants that are larger than a page together are all read', async () => {
  const { store, url } = await openStore({ timeoutMs: 20_000 });
  const ids = Array.from({ length: 20 }, (_, at) => BigInt(at));
  const name = 'x'.repeat(1024 * 1024);
  await Promise.all(ids.map((id) => store.plants.add({ id, name })));
  const read: bigint[] = [];
  for await (const plant of postgresExport({ connectionString: url }).readAll()) {
    expect(plant.name === name).toBe(true);
    read.push(plant.id);
  }
  expect(read).toEqual(ids);
});
