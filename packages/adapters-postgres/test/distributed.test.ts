import { openPostgres, postgresExport } from '@plant-store/adapters-postgres';
import { StoreMisconfigured } from '@plant-store/domain';
import { backends, runSql } from '@plant-store/testing-postgres';
import { expect, test } from 'vitest';
import { migratedDatabase } from './open-store.ts';

/** Replaces what this adapter reads of Citus' catalog. */
async function distributed(table: string): Promise<string> {
  const url = await migratedDatabase();
  await runSql(
    url,
    `CREATE TABLE another (); CREATE TABLE pg_dist_partition AS SELECT '${table}'::regclass AS logicalrelid, 'h' AS partmethod`,
  );
  const parsed = new URL(url);
  // The server trusts everybody.
  parsed.username = 'postgres';
  parsed.password = 'melon/@:';
  return parsed.href;
}

test('a table that Citus distributes is refused, with the URL to use; its password is not shown', async () => {
  const connectionString = await distributed('plants');
  const shown = new URL(connectionString);
  shown.password = '***';
  const fault = new StoreMisconfigured(
    `PostgreSQL: the table plants is distributed by Citus: use ${shown.href.replace('postgres:', 'citus:')}`,
  );
  await expect(openPostgres({ connectionString })).rejects.toThrow(fault);
  await expect(postgresExport({ connectionString }).readAll()[Symbol.asyncIterator]().next()).rejects.toThrow(fault);
  const inQuery = shown.href.replace(':***@', '@') + (shown.search ? '&' : '?');
  await expect(openPostgres({ connectionString: `${inQuery}password=melon&sslmode=disable` })).rejects.toThrow(
    'password=***&sslmode=disable',
  );
  await expect.poll(() => backends(connectionString)).toEqual([]);
});

test('another table that Citus distributes is none of its business', async () => {
  const store = await openPostgres({ connectionString: await distributed('another') });
  expect(await store.plants.add({ id: 1n, name: 'Fern' })).toEqual({ outcome: 'added' });
  await store.close();
});
