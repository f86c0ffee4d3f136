import { postgresExport } from '@plant-store/adapters-postgres';
import { plants } from '@plant-store/sql-store';
import { readPage } from '@plant-store/sql-store/export';
import { backends, runSql } from '@plant-store/testing-postgres';
import { expect, onTestFinished, test } from 'vitest';
import { openKysely } from '../src/driver/database.ts';
import { exportSource } from '../src/export.ts';
import { completeOptions } from '../src/options.ts';
import { migratedDatabase, openStore } from './open-store.ts';

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

test('a page ends with the plant that makes it 16 MiB, and with the two thousandth', async () => {
  const url = await migratedDatabase();
  const MiB = 1024 * 1024;
  await runSql(
    url,
    `INSERT INTO plants VALUES (1, repeat('x', ${8 * MiB}), repeat('x', ${8 * MiB - 1})), (2, 'x', NULL), (3, 'Fern', NULL),
       (4, repeat('x', ${10 * MiB}), repeat('x', ${10 * MiB}));
     INSERT INTO plants SELECT id, 'Fern' FROM generate_series(5, 2005) AS id`,
  );
  const db = openKysely(completeOptions({ connectionString: url }));
  onTestFinished(() => db.destroy());
  const page = async (after?: bigint) => (await readPage(db, plants, exportSource.pageRows, after)).map(({ id }) => id);
  expect(await page()).toEqual([1n, 2n]);
  expect(await page(2n)).toEqual([3n, 4n]);
  expect(await page(4n)).toEqual(Array.from({ length: 2_000 }, (_, at) => BigInt(at + 5)));
  expect(await page(2_004n)).toEqual([2_005n]);
  expect(await page(2_005n)).toEqual([]);
});
