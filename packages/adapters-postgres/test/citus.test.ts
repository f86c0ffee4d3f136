import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { distributePostgres } from '@plant-store/adapters-postgres';
import { type NewPlant, StoreUnavailable } from '@plant-store/domain';
import { unobserved } from '@plant-store/group-commit';
import { runSql } from '@plant-store/testing-postgres';
import fc from 'fast-check';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { hashOfId } from '../src/citus/hash-of-id.ts';
import { readDistribution, type ShardMap } from '../src/citus/shard-map.ts';
import { sharedObserver } from '../src/citus/shared-observer.ts';
import { storeByNode } from '../src/citus/store-by-node.ts';
import { isConnectionError, isTransient, toStoreUnavailable } from '../src/errors.ts';
import { completeOptions, type PostgresOptions } from '../src/options.ts';
import { openWholeStore } from '../src/whole-store.ts';
import { backends, terminate } from './backends.ts';
import { hold, migratedDatabase, openStore } from './open-store.ts';
import { citusWithNodes, nodes, startFault } from './stand-in-for-citus.ts';

const all = Array.from({ length: 40 }, (_, at): NewPlant => ({ id: BigInt(at), name: `plant ${at}`, tag: '' }));
const [even, odd] = [all.filter(({ id }) => hashOfId(id) < 0), all.filter(({ id }) => hashOfId(id) >= 0)];

test('the hash of an id is that of PostgreSQL', async () => {
  const url = await migratedDatabase();
  const ids = [0n, 1n, -1n, 2n ** 31n, 2n ** 32n, 2n ** 63n - 1n, -(2n ** 63n)].concat(
    fc.sample(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), 500),
  );
  const rows = await runSql(url, 'SELECT hashint8(id) AS hash FROM unnest($1::int8[]) AS id', [ids]);
  expect(ids.map(hashOfId)).toEqual(rows.map(({ hash }) => hash));
});

test('a node that has no shards has no id', async () => {
  const connectionString = await citusWithNodes();
  await distributePostgres({ connectionString });
  const map = await readDistribution(completeOptions({ connectionString }));
  expect(map).toMatchObject({ nodes: new Set(Object.values(nodes)) });
  // A circuit breaker may still probe it.
  expect((map as ShardMap).idOn('127.0.0.1:9709')).toBeUndefined();
});

test('a batch is a transaction for each node, with an insert for each shard that waits for locks at the node', async () => {
  const { store, url } = await open();
  await Promise.all(all.map((plant) => store.plants.add(plant)));
  const inserts = await runSql(
    url,
    `SELECT count(DISTINCT shard >> 1)::int AS nodes, count(DISTINCT shard)::int AS shards,
       count(DISTINCT statement)::int AS statements, min(lock_timeout) AS "lockTimeout", min(propagated) AS propagated
     FROM inserts GROUP BY transaction`,
  );
  const one = { nodes: 1, shards: 2, statements: 2, lockTimeout: '50ms', propagated: 'local' };
  expect(inserts).toEqual([one, one]);
  const [{ statement } = {}] = await runSql(url, 'SELECT statement FROM inserts LIMIT 1');
  expect(statement).toMatch(
    /^insert into plants \(id, name, tag\) values \(\$1::int8,\$2::text,\$3::text\),.* on conflict \(id\) do nothing returning id$/,
  );
  const again = await Promise.all(all.map((plant) => store.plants.add(plant)));
  expect(again).toEqual(all.map(({ name, tag }) => ({ outcome: 'exists', plant: { name, tag } })));
});

test('a dead node: its plants are refused at once, the others stored, and it comes back by itself', async () => {
  const onWarning = vi.fn<(message: string) => void>();
  const circuit = vi.fn<(state: string) => void>();
  const { store, url } = await open({ onWarning, observer: { ...unobserved, circuit } });
  await Promise.all([even[0], odd[0]].map((plant) => store.plants.add(plant as NewPlant)));
  const connections = await backends(url);
  const revive = await startFault(url, 'odd', 'dead');
  for (let round = 0; round < 3; round += 1) {
    const results = await Promise.allSettled(all.map((plant) => store.plants.add(plant)));
    expect(results.map(({ status }) => status)).toEqual(
      all.map((plant) => (even.includes(plant) ? 'fulfilled' : 'rejected')),
    );
    await store.check();
  }
  await expect(store.plants.add(odd[1] as NewPlant)).rejects.toThrow(
    'connection to the remote node plants@127.0.0.1:9702 failed',
  );
  expect(circuit.mock.calls).toEqual([['closed'], ['open']]);
  expect((await backends(url)).filter((pid) => connections.includes(pid))).toEqual(connections);
  await revive();
  await expect.poll(() => store.plants.add(odd[2] as NewPlant).catch(String)).toMatchObject({ outcome: 'added' });
  expect(onWarning.mock.calls).toEqual([
    [`Citus node ${nodes.odd} cannot store plants: those of its shards get a 503, the others are stored`],
    [`Citus node ${nodes.odd} stores plants again`],
  ]);
});

test('without any node that stores plants, the service is not ready', async () => {
  const { store, url } = await open();
  await Promise.all(all.map((plant) => store.plants.add(plant)));
  await startFault(url, 'odd', 'dead');
  await startFault(url, 'even', 'dead');
  await expect(store.check()).rejects.toThrow(StoreUnavailable);
});

test('a frozen node holds up its own plants alone, and after a time-out not even them', async () => {
  const { store, url } = await open({ timeoutMs: 150 });
  await Promise.all(all.map((plant) => store.plants.add({ ...plant, id: plant.id + 100n })));
  // A probe looks for it.
  await store.plants.add(odd[0] as NewPlant);
  const thaw = await startFault(url, 'odd', 'frozen');
  const held = Promise.allSettled(odd.map((plant) => store.plants.add(plant)));
  expect(await Promise.all(even.map((plant) => store.plants.add(plant)))).toEqual(
    even.map(() => ({ outcome: 'added' })),
  );
  for (const result of await held) expect(result).toMatchObject({ reason: expect.any(StoreUnavailable) });
  await expect.poll(() => store.plants.add(odd[0] as NewPlant).catch(String)).toContain('circuit breaker open');
  await thaw();
  await expect
    .poll(() => store.plants.add(odd[0] as NewPlant).catch(String), { timeout: 5_000 })
    .toHaveProperty('outcome');
});

test('a row that another session holds is waited for apart from its neighbours', async () => {
  const { store, url } = await open({ timeoutMs: 400 });
  const [held, others] = [even.at(-1) as NewPlant, even.slice(0, -1)];
  await hold(url, `INSERT INTO plants_of_nodes VALUES (${held.id}, 'held')`);
  const adding = others.map((plant) => store.plants.add(plant));
  const waiting = store.plants.add(held);
  expect(await Promise.all(adding)).toEqual(others.map(() => ({ outcome: 'added' })));
  // Halves, not one plant at a time.
  const [{ commits } = {}] = await runSql(url, 'SELECT count(DISTINCT transaction)::int AS commits FROM inserts');
  expect(commits).toBeLessThan(others.length / 2);
  await expect(waiting).rejects.toThrow(StoreUnavailable);
});

test.each([false, true])(
  'a plant that a node refuses leaves its neighbours alone; beside a locked row: %s',
  async (isLocked) => {
    const { store, url } = await open({ timeoutMs: 1_000 });
    const [refused, held, ...others] = even as [NewPlant, NewPlant, ...NewPlant[]];
    await runSql(url, `ALTER TABLE plants_of_nodes ADD CHECK (id <> ${refused.id})`);
    if (isLocked) await hold(url, `INSERT INTO plants_of_nodes VALUES (${held.id}, 'held')`);
    const adding = [refused, held].map((plant) => store.plants.add(plant));
    const stored = Promise.all(others.map((plant) => store.plants.add(plant)));
    const [{ reason } = { reason: undefined }, add] = (await Promise.allSettled(adding)) as PromiseRejectedResult[];
    expect(reason).toMatchObject({ code: '23514' });
    expect(inspect(reason)).not.toContain(refused.name);
    expect(add?.status).toBe(isLocked ? 'rejected' : 'fulfilled');
    await stored;
  },
);

test('a table that is distributed while the store is open is noticed with the next connection', async () => {
  const url = await citusWithNodes();
  const { store } = await openStore({ connectionString: url });
  await store.plants.add(even[0] as NewPlant);
  await distributePostgres({ connectionString: url });
  await terminate(url, await backends(url));
  const statements = async () => {
    await store.plants.add({ id: BigInt(Date.now()), name: 'Moss' });
    return runSql(url, `SELECT FROM inserts WHERE statement LIKE '%values%'`);
  };
  await expect.poll(async () => (await statements()).length, { timeout: 5_000 }).toBeGreaterThan(0);
});

test('a map that changes while a circuit is open: the store of a node that has no shards is closed', {
  timeout: 10_000,
}, async () => {
  const observer = { ...unobserved, circuit: vi.fn(), watchConnections: vi.fn() };
  const onWarning = vi.fn<(message: string) => void>();
  const { store, url } = await openReading({ timeoutMs: 300, onWarning, observer });
  // A probe looks for it.
  await store.plants.add(odd[0] as NewPlant);
  const revive = await startFault(url, 'odd', 'dead');
  await expect(store.plants.add(odd[1] as NewPlant)).rejects.toThrow('remote node');
  expect(observer.circuit).toHaveBeenLastCalledWith('open');
  const connections = await backends(url);
  // As citus_update_node does.
  await runSql(url, 'UPDATE pg_dist_node SET nodeport = 9709 WHERE nodeport = 9702');
  await expect.poll(() => observer.circuit.mock.lastCall).toEqual(['closed']);
  expect(onWarning).toHaveBeenLastCalledWith(`Citus node ${nodes.odd} has no shards any more`);
  await expect.poll(async () => (await backends(url)).filter((pid) => connections.includes(pid))).toEqual([]);
  await revive();
  expect(await store.plants.add(odd[1] as NewPlant)).toEqual({ outcome: 'added' });
  const [figures] = observer.watchConnections.mock.calls[0] as [() => { max: number }];
  expect(figures().max).toBe(18);
});

test('a catalog that cannot be read at first is read again, with one warning', async () => {
  const url = await citusWithNodes();
  await distributePostgres({ connectionString: url });
  await runSql(url, 'ALTER TABLE pg_dist_placement RENAME TO elsewhere');
  const onWarning = vi.fn<(message: string) => void>();
  const store = await reading({ connectionString: url, onWarning });
  await store.plants.add(even[0] as NewPlant);
  await sleep(100);
  expect(onWarning.mock.calls).toEqual([[expect.stringContaining('relation "pg_dist_placement" does not exist')]]);
  await runSql(url, 'ALTER TABLE elsewhere RENAME TO pg_dist_placement');
  await expect
    .poll(async () => {
      await store.plants.add({ id: BigInt(Date.now()), name: 'Moss' });
      return runSql(url, `SELECT FROM inserts WHERE statement LIKE '%values%'`);
    })
    .not.toEqual([]);
});

test('a node whose commits are not durable stores nothing until they are', async () => {
  const { store, url } = await openReading({}, `UPDATE pg_dist_node SET commits = 'off' WHERE nodeport = 9702`);
  await expect(store.plants.add(odd[0] as NewPlant)).rejects.toThrow(
    `Citus node ${nodes.odd}: synchronous_commit is off`,
  );
  expect(await store.plants.add(even[0] as NewPlant)).toEqual({ outcome: 'added' });
  expect(await runSql(url, 'SELECT id FROM plants_of_nodes')).toEqual([{ id: String(even[0]?.id) }]);
  await runSql(url, `UPDATE pg_dist_node SET commits = 'on'`);
  await expect.poll(() => store.plants.add(odd[0] as NewPlant).catch(String)).toEqual({ outcome: 'added' });
});

test('any number of checks of a frozen node hold one connection', async () => {
  const { store, url } = await open({ timeoutMs: 50 });
  // A probe looks for one of them.
  await runSql(url, `INSERT INTO plants_of_nodes SELECT id, 'Fern' FROM generate_series(0, 20) AS id`);
  await startFault(url, 'odd', 'frozen');
  await startFault(url, 'even', 'frozen');
  // On a busy machine the nodes may not be known yet when the store opens.
  await expect.poll(() => store.check().catch(String)).toContain('StoreUnavailable');
  for (let round = 0; round < 5; round += 1) await expect(store.check()).rejects.toThrow(StoreUnavailable);
  expect(
    await runSql(url, `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%skip locked'`),
  ).toHaveLength(2);
});

/** What the coordinator of Citus 13.2 reports when a node was killed, stopped or cancelled a statement. */
test.each([
  [
    '08006',
    'connection to the remote node plants@127.0.0.1:9702 failed with the following error: Connection refused',
    '',
  ],
  ['57P01', 'terminating connection due to administrator command', 'while executing command on 127.0.0.1:9702'],
  ['XX000', 'could not commit transaction for shard 102010 on at least one active node', ''],
  ['08006', 'could not establish any connections to the node 127.0.0.1:9702 after 30000 ms', ''],
  ['XX000', 'failure on connection marked as essential: 127.0.0.1:9702', ''],
])('%s of another node is transient and leaves the connection as it is: %s', (code, message, where) => {
  const error = Object.assign(new pg.DatabaseError(message, 0, 'error'), { code, where });
  expect(isConnectionError(error)).toBe(false);
  expect(isTransient(toStoreUnavailable(error))).toBe(true);
});

test('observers of parts report as one', () => {
  const observer = { ...unobserved, watchWaitingAdds: vi.fn(), watchConnections: vi.fn(), circuit: vi.fn() };
  const shared = sharedObserver(observer);
  const [one, two, idle] = [shared.part(() => true), shared.part(() => true), shared.part(() => false)];
  idle.watchConnections(() => ({ used: 0, idle: 10, pending: 0, max: 10 }));
  for (const part of [one, two]) {
    part.circuit('closed');
    part.watchWaitingAdds(() => 2);
    part.watchConnections(() => ({ used: 1, idle: 2, pending: 3, max: 4 }));
  }
  expect(observer.watchWaitingAdds.mock.calls.map(([count]) => count())).toEqual([4]);
  expect(observer.watchConnections.mock.calls.map(([figures]) => figures())).toEqual([
    { used: 2, idle: 4, pending: 6, max: 8 },
  ]);
  observer.circuit.mockClear();
  for (const state of ['open', 'closed'] as const) for (const part of [one, two]) part.circuit(state);
  expect(observer.circuit.mock.calls).toEqual([['open'], ['closed']]);
});

/** A store on a distributed table that reads the map all the time. */
async function openReading(options: Partial<PostgresOptions>, before = '') {
  const url = await citusWithNodes();
  await distributePostgres({ connectionString: url });
  await runSql(url, before);
  return { url, store: await reading({ ...options, connectionString: url }) };
}

async function reading(options: PostgresOptions) {
  const store = await storeByNode(completeOptions(options), openWholeStore, 20);
  onTestFinished(() => store.close());
  return store;
}

/** A store on a distributed table. */
async function open(options: Partial<PostgresOptions> = {}) {
  const connectionString = await citusWithNodes();
  await distributePostgres({ connectionString });
  return openStore({ ...options, connectionString });
}
