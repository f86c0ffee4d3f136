import { distributeCitus, migrateCitus } from '@plant-store/adapters-citus';
import { scratchSchema } from '@plant-store/adapters-postgres/harness';
import { runSql } from '@plant-store/testing/postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { asPostgres } from '../src/connection-string.ts';

// This test runs on a cluster of two workers (TEST_CITUS_URL), because the stand-in does not move shards.
test('the advice for a cluster of one node moves shards to a second node with the current wal_level', async () => {
  const scratch = await scratchSchema(asPostgres(process.env['TEST_CITUS_URL'] ?? ''));
  onTestFinished(scratch.drop);
  const { connectionString } = scratch.options;
  await migrateCitus({ connectionString });
  const { shards, nodes } = await distributeCitus({ connectionString });
  expect({ shards, nodes: nodes.length }).toEqual({ shards: 8, nodes: 2 });

  const [from = '', to = ''] = nodes.map((node) => `'${node.replace(/:(\d+)$/, "', $1")}`);
  await runSql(
    connectionString,
    `SELECT citus_move_shard_placement(shardid, ${from}, ${to}, 'block_writes') FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)
       JOIN pg_dist_node USING (groupid) WHERE logicalrelid = 'plants'::regclass AND (nodename, nodeport) = (${from})`,
  );
  const onWarning = vi.fn<(message: string) => void>();
  expect((await distributeCitus({ connectionString, onWarning })).nodes).toHaveLength(1);
  const [, advice = ''] = /then (SELECT citus_rebalance_start\(.*\))$/.exec(onWarning.mock.lastCall?.[0] ?? '') ?? [];
  await runSql(connectionString, advice);
  const job = () => runSql(connectionString, 'SELECT state FROM citus_rebalance_status()');
  await expect.poll(job, { timeout: 60_000 }).toEqual([{ state: 'finished' }]);
  expect((await distributeCitus({ connectionString })).nodes).toHaveLength(2);
});
