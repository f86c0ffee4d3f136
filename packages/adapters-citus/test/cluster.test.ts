import { distributeCitus, migrateCitus, openCitus } from '@plant-store/adapters-citus';
import { scratchSchema } from '@plant-store/adapters-postgres/harness';
import { runSql } from '@plant-store/testing-postgres';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { asPostgres } from '../src/connection-string.ts';

// What the stand-in cannot find: it knows of Citus what somebody has written down.
const url = asPostgres(process.env['TEST_CITUS_URL'] ?? '');

describe('on a cluster of two workers (TEST_CITUS_URL):', () => {
  test('Citus is installed and the table distributed while plants are added: each is added, and within 2 s all is as usual', async () => {
    const name = `plant_store_test_${Date.now()}`;
    await runSql(url, `CREATE DATABASE ${name}`);
    onTestFinished(async () => void (await runSql(url, `DROP DATABASE ${name} WITH (FORCE)`)));
    const database = new URL(url);
    database.pathname = name;
    const connectionString = database.href;
    await migrateCitus({ connectionString });
    const store = await openCitus({ connectionString, timeoutMs: 10_000, maxWaitMs: 10_000 });
    onTestFinished(() => store.close());

    const results: Promise<unknown>[] = [];
    const adding = setInterval(() => {
      results.push(store.plants.add({ id: BigInt(results.length), name: 'Fern' }).catch(String));
    }, 5);
    onTestFinished(() => clearInterval(adding));
    await runSql(connectionString, 'CREATE EXTENSION citus');
    // The server itself is the only node.
    expect((await distributeCitus({ connectionString })).shards).toBe(4);
    // It fails with the statements for one server.
    const check = () => store.check().then(() => 'ready', String);
    await expect.poll(check, { timeout: 2_000 }).toBe('ready');
    clearInterval(adding);
    expect(results.length).toBeGreaterThan(10);
    expect(await Promise.all(results)).toEqual(results.map(() => ({ outcome: 'added' })));
    expect(await store.plants.add({ id: 0n, name: 'Moss' })).toEqual({ outcome: 'exists', plant: { name: 'Fern' } });
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
