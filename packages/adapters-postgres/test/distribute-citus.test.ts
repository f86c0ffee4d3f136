import { distributePostgres } from '@plant-store/adapters-postgres';
import { freshDatabase, runSql } from '@plant-store/testing-postgres';
import { expect, test } from 'vitest';
import { migratedDatabase } from './open-store.ts';

/** Replaces Citus, of which no package is available: its catalog of distributed tables, and the function that fills it. */
const citus = `
  CREATE TABLE pg_dist_partition (logicalrelid regclass, partkey text);
  CREATE FUNCTION create_distributed_table(regclass, text) RETURNS void
    LANGUAGE sql AS 'INSERT INTO pg_dist_partition VALUES ($1, $2)'`;

test('the table of plants is distributed by id, once', async () => {
  const connectionString = await migratedDatabase();
  await runSql(connectionString, citus);
  await distributePostgres({ connectionString });
  await distributePostgres({ connectionString });
  expect(
    await runSql(connectionString, 'SELECT logicalrelid::text AS name, partkey AS by FROM pg_dist_partition'),
  ).toEqual([{ name: 'plants', by: 'id' }]);
});

test('a database without Citus says so', async () => {
  const connectionString = await migratedDatabase();
  await expect(distributePostgres({ connectionString })).rejects.toThrow('CREATE EXTENSION citus');
});

test('a database that is not migrated says so', async () => {
  const connectionString = await freshDatabase();
  await runSql(connectionString, citus);
  await expect(distributePostgres({ connectionString })).rejects.toThrow('run the migrations');
});
