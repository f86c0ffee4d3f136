import { citusDistribution, citusExport, distributeCitus } from '@plant-store/adapters-citus';
import { storeHarness } from '@plant-store/adapters-citus/harness';
import { storageAdapter } from '@plant-store/adapters-citus/storage-adapter';
import { backends, freshDatabase, runSql } from '@plant-store/testing/postgres';
import { expect, test, vi } from 'vitest';
import { citusDatabase, migratedDatabase, nodes } from './stand-in-for-citus.ts';

test('the table of plants is distributed once, by id, and its copy on the coordinator is removed', async () => {
  const connectionString = await citusDatabase();
  expect(await citusDistribution({ connectionString })).toBeUndefined();
  await runSql(connectionString, `INSERT INTO plants VALUES (1, 'Fern')`);
  const onWarning = vi.fn<(message: string) => void>();
  const distribution = { shards: 8, nodes: [nodes.even, nodes.odd] };
  for (let time = 0; time < 2; time += 1)
    expect(await distributeCitus({ connectionString, onWarning })).toEqual(distribution);
  // With citus.shard_replication_factor = 2 each shard is on two nodes.
  await runSql(connectionString, 'INSERT INTO pg_dist_placement VALUES (1, 2)');
  expect(await citusDistribution({ connectionString })).toEqual(distribution);
  const store = storageAdapter.at(connectionString.replace(/^postgres/, 'citus'), { onError() {} });
  expect(await store.details?.()).toEqual([`distributed  8 shards on 2 nodes: ${nodes.even}, ${nodes.odd}`]);
  const by = await runSql(
    connectionString,
    'SELECT logicalrelid::text AS name, partkey AS key FROM pg_dist_partition ORDER BY 1',
  );
  expect(by).toEqual([
    { name: 'plant_store_migration', key: null },
    { name: 'plants', key: 'id' },
  ]);
  expect(await runSql(connectionString, 'SELECT times FROM truncations')).toEqual([{ times: 1 }]);
  expect(onWarning).not.toHaveBeenCalled();
});

test.each([
  // A node without shards, such as the coordinator, does not count.
  [`INSERT INTO pg_dist_node VALUES (0, '127.0.0.1', 9700, 'primary', 'on', false)`, undefined, 8],
  ['SELECT', 12, 12],
  ['DELETE FROM pg_dist_node WHERE groupid = 2', undefined, 4, "on one node, .* => 'block_writes'\\)$"],
])(
  '%s, with %s shards: there are 4 shards per node, or the requested number',
  async (change, wanted, shards, warning?: string) => {
    const connectionString = await citusDatabase();
    await runSql(connectionString, change);
    const onWarning = vi.fn<(message: string) => void>();
    expect((await distributeCitus({ connectionString, onWarning }, wanted)).shards).toBe(shards);
    expect(onWarning.mock.calls).toEqual(warning === undefined ? [] : [[expect.stringMatching(warning)]]);
    await distributeCitus({ connectionString, onWarning }, 16);
    const advice = `alter_distributed_table('plants', shard_count => 16)`;
    expect(onWarning).toHaveBeenCalledWith(expect.stringContaining(advice));
  },
);

test('an export warns of nodes with prepared transactions, but not without Citus', async () => {
  const connectionString = await citusDatabase();
  const onWarning = vi.fn<(message: string) => void>();
  for await (const _ of citusExport({ connectionString, onWarning }).readAll()) expect.fail('there is no plant');
  expect(onWarning.mock.calls).toEqual([[expect.stringContaining(`node ${nodes.odd} has 7 prepared transactions`)]]);
  await runSql(connectionString, 'DROP TABLE pg_dist_partition');
  for await (const _ of citusExport({ connectionString, onWarning }).readAll()) expect.fail('there is no plant');
  expect(onWarning).toHaveBeenCalledTimes(1);
});

test('a database without Citus or without migrations is not distributed, and no connection stays open', async () => {
  const connectionString = await migratedDatabase();
  await expect(distributeCitus({ connectionString })).rejects.toThrow('CREATE EXTENSION citus');
  // An idle connection would be closed after 10 s.
  await expect.poll(() => backends(connectionString), { timeout: 8_000 }).toEqual([]);
  const empty = await freshDatabase();
  await runSql(empty, 'CREATE TABLE pg_dist_partition (logicalrelid regclass)');
  await expect(distributeCitus({ connectionString: empty })).rejects.toThrow('run the migrations');
});

test('the contract needs a database with Citus, because it runs on a distributed table', async () => {
  // The stand-in is not in the scratch schema.
  await expect(storeHarness(await citusDatabase()).prepare()).rejects.toThrow('CREATE EXTENSION citus');
});
