import { exportPlants } from '@plant-store/store-kit/sql';
import { runSql } from '@plant-store/testing/postgres';
import { expect, test } from 'vitest';
import { exportSource } from '../src/export.ts';
import { migratedDatabase } from './open-store.ts';

test('a page ends with the plant that makes it 16 MiB, and with the two thousandth', async () => {
  const url = await migratedDatabase();
  const MiB = 1024 * 1024;
  await runSql(
    url,
    `INSERT INTO plants VALUES (1, repeat('x', ${8 * MiB}), repeat('x', ${8 * MiB - 1})), (2, 'x', NULL), (3, 'Fern', NULL);
     INSERT INTO plants SELECT id, 'Fern' FROM generate_series(4, 2004) AS id`,
  );
  const pages: number[] = [];
  const open: typeof exportSource.open = async (options) =>
    (await exportSource.open(options)).withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (result.rows[0] && 'name' in result.rows[0]) pages.push(result.rows.length);
        return result;
      },
    });
  for await (const _ of exportPlants({ ...exportSource, open }, { connectionString: url }).readAll());
  expect(pages).toEqual([2, 2_000, 2]);
});
