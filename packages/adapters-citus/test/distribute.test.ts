import { distributePostgres, postgresDistribution, postgresExport } from '@plant-store/adapters-postgres';
import { postgresHarness } from '@plant-store/adapters-postgres/harness';
import { freshDatabase, runSql } from '@plant-store/testing-postgres';
import { expect, test, vi } from 'vitest';
import { scratchDatabase } from '../src/harness/scratch-database.ts';
import { backends } from './backends.ts';
import { migratedDatabase } from './open-store.ts';
import { citusDatabase, nodes } from './stand-in-for-citus.ts';

test('the table of plants is distributed by id, once, and its copy on the coordinator removed', async () => {
  const connectionString = await citusDatabase();
  expect(await postgresDistribution({ connectionString })).toBeUndefined();
  await runSql(connectionString, `INSERT INTO plants VALUES (1, 'Fern')`);
  const onWarning = vi.fn<(message: string) => void>();
  const distribution = { shards: 4, nodes: [nodes.even, nodes.odd] };
  for (let time = 0; time < 2; time += 1)
    expect(await distributePostgres({ connectionString, onWarning })).toEqual(distribution);
  // With citus.shard_replication_factor = 2 a shard is on two nodes.
  await runSql(connectionString, 'INSERT INTO pg_dist_placement VALUES (1, 2)');
  expect(await postgresDistribution({ connectionString })).toEqual(distribution);
  expect(
    await runSql(
      connectionString,
      'SELECT logicalrelid::text AS name, partkey AS by FROM pg_dist_partition ORDER BY 1',
    ),
  ).toEqual([
    { name: 'plant_store_migration', by: null },
    { name: 'plant_store_migration_lock', by: null },
    { name: 'plants', by: 'id' },
  ]);
  expect(await runSql(connectionString, 'SELECT times FROM truncations')).toEqual([{ times: 1 }]);
  expect(onWarning).not.toHaveBeenCalled();
});

test('a cluster of one node is a warning', async () => {
  const connectionString = await citusDatabase();
  await runSql(connectionString, 'UPDATE pg_dist_node SET groupid = 3 WHERE groupid = 2');
  const onWarning = vi.fn<(message: string) => void>();
  await distributePostgres({ connectionString, onWarning });
  expect(onWarning).toHaveBeenCalledWith(expect.stringContaining(`on one node, ${nodes.even}: add others`));
});

test('an export says which nodes hold prepared transactions; without Citus it has none', async () => {
  const connectionString = await citusDatabase();
  const onWarning = vi.fn<(message: string) => void>();
  for await (const _ of postgresExport({ connectionString, onWarning }).readAll()) expect.fail('there is no plant');
  expect(onWarning.mock.calls).toEqual([[expect.stringContaining(`node ${nodes.odd} has 7 prepared transactions`)]]);
  await runSql(connectionString, 'DROP TABLE pg_dist_partition');
  for await (const _ of postgresExport({ connectionString, onWarning }).readAll()) expect.fail('there is no plant');
  expect(onWarning).toHaveBeenCalledTimes(1);
});

test('a database without Citus says so, and keeps no connection', async () => {
  const connectionString = await migratedDatabase();
  await expect(distributePostgres({ connectionString })).rejects.toThrow('CREATE EXTENSION citus');
  expect(await postgresDistribution({ connectionString })).toBeUndefined();
  // Well before one that is idle would be closed.
  await expect.poll(() => backends(connectionString), { timeout: 3_000 }).toEqual([]);
});

test('a database that is not migrated says so', async () => {
  const connectionString = await freshDatabase();
  await runSql(connectionString, 'CREATE TABLE pg_dist_partition (logicalrelid regclass)');
  await expect(distributePostgres({ connectionString })).rejects.toThrow('run the migrations');
});

test('the contract is checked on a distributed table if the plants are distributed, or not at all', async () => {
  const connectionString = await citusDatabase();
  await distributePostgres({ connectionString });
  const { isDistributed, url, drop } = await scratchDatabase(connectionString);
  expect(isDistributed).toBe(true);
  const [place] = await runSql(url, 'SELECT current_database() AS database, current_schema() AS schema');
  expect(place).toEqual({
    database: new URL(connectionString).pathname.slice(1),
    schema: expect.stringMatching(/^plant_store_verify_/),
  });
  await drop();
  // The stand-in is not in the scratch schema.
  await expect(postgresHarness(connectionString).prepare()).rejects.toThrow('CREATE EXTENSION citus');
});
