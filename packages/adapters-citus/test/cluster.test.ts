import { distributeCitus, migrateCitus, openCitus } from '@plant-store/adapters-citus';
import { scratchSchema } from '@plant-store/adapters-postgres/harness';
import { hold, runSql } from '@plant-store/testing-postgres';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { asPostgres } from '../src/connection-string.ts';

// What the stand-in cannot find: it knows of Citus what somebody has written down.
const url = asPostgres(process.env['TEST_CITUS_URL'] ?? '');

describe('on a cluster of two workers (TEST_CITUS_URL):', () => {
  test('of a batch with refused and locked plants, over all nodes, each has its own outcome', async () => {
    const scratch = await scratchSchema(url);
    onTestFinished(scratch.drop);
    const { connectionString } = scratch.options;
    await migrateCitus({ connectionString });
    await runSql(connectionString, `ALTER TABLE plants ADD CONSTRAINT no_ferns CHECK (name <> 'Fern')`);
    await distributeCitus({ connectionString });
    const store = await openCitus({ connectionString });
    onTestFinished(() => store.close());
    await hold(connectionString, `INSERT INTO plants VALUES (7, 'Moss')`);
    const adding = Array.from({ length: 100 }, (_, at) =>
      store.plants.add({ id: BigInt(at), name: at % 10 === 0 ? 'Fern' : 'Moss' }).then(
        ({ outcome }) => outcome,
        ({ name, message }: Error) => (message.includes('has locked') ? 'locked' : name),
      ),
    );
    const expected: string[] = Array.from({ length: 100 }, (_, at) => (at % 10 === 0 ? 'PlantRefused' : 'added'));
    expect(await Promise.all(adding)).toEqual(expected.with(7, 'locked'));
  });

  test('4 shards a node, and the advice for a cluster of one node moves them with the wal_level that there is', async () => {
    const scratch = await scratchSchema(url);
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
});
