import { postgresExport } from '@plant-store/adapters-postgres';
import { exportPlants } from '@plant-store/store-kit/sql';
import { backends, runSql } from '@plant-store/testing-postgres';
import { expect, test } from 'vitest';
import { exportSource } from '../src/export.ts';
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
  const pages: (readonly unknown[])[] = [];
  const open: typeof exportSource.open = async (options) =>
    (await exportSource.open(options)).withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        const ids = result.rows.map(({ id }) => id);
        if (ids.length > 0 && ids[0] !== undefined) pages.push(ids);
        return result;
      },
    });
  for await (const _ of exportPlants({ ...exportSource, open }, { connectionString: url }).readAll());
  expect(pages).toEqual([[1n, 2n], [3n, 4n], Array.from({ length: 2_000 }, (_, at) => BigInt(at + 5)), [2_005n]]);
});
