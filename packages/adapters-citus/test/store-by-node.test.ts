import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CitusOptions, distributeCitus, openCitus } from '@plant-store/adapters-citus';
import { openKysely, translateError } from '@plant-store/adapters-postgres/driver';
import { type NewPlant, type PlantStore, StoreUnavailable } from '@plant-store/domain';
import { type StoreObserver, unobserved } from '@plant-store/sql-store';
import { backends, hold, runSql } from '@plant-store/testing-postgres';
import fc from 'fast-check';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { hashOfId } from '../src/cluster/hash-of-id.ts';
import { isRemote, isTransient } from '../src/cluster/remote-error.ts';
import { readShardMap, type ShardMap } from '../src/cluster/shard-map.ts';
import { completeOptions } from '../src/options.ts';
import { sharedObserver } from '../src/shared-observer.ts';
import { storeByNode } from '../src/store-by-node.ts';
import {
  all,
  citusDatabase,
  citusWithNodes,
  createCitus,
  even,
  migratedDatabase,
  nodes,
  odd,
  startFault,
  withNodes,
} from './stand-in-for-citus.ts';

const undistribute = `DELETE FROM pg_dist_partition WHERE partmethod = 'h'`;

test('the hash of an id is that of PostgreSQL', async () => {
  const url = await migratedDatabase();
  const ids = [0n, 1n, -1n, 2n ** 31n, 2n ** 32n, 2n ** 63n - 1n, -(2n ** 63n)].concat(
    fc.sample(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), 500),
  );
  const rows = await runSql(url, 'SELECT hashint8(id) AS hash FROM unnest($1::int8[]) AS id', [ids]);
  expect(ids.map(hashOfId)).toEqual(rows.map(({ hash }) => hash));
});

test('a shard begins with the hash that the catalog says, and a node that has no shards has no id', async () => {
  const connectionString = await citusWithNodes();
  await distributeCitus({ connectionString });
  const [{ id } = { id: 0n }] = odd;
  await runSql(connectionString, `UPDATE pg_dist_shard SET shardminvalue = ${hashOfId(id)} WHERE shardid = 7`);
  const map = (await mapOf(connectionString)) as ShardMap;
  expect(map).toMatchObject({ nodes: new Set(Object.values(nodes)) });
  expect(map.shardOf(id)).toEqual({ min: hashOfId(id), node: nodes.odd });
  // A circuit breaker may still probe it.
  expect(map.idOn('127.0.0.1:9709')).toBeUndefined();
});

test.each([citusDatabase, migratedDatabase])('a table that is not distributed has no map: %o', async (create) => {
  expect(await mapOf(await create())).toBeUndefined();
});

test('a batch is a transaction for each node, with an insert for each shard that waits for locks at the node', async () => {
  const { store, url } = await open();
  await Promise.all(all.toReversed().map((plant) => store.plants.add(plant)));
  const inserts = await runSql(
    url,
    `SELECT count(DISTINCT shard >> 1)::int AS nodes, count(DISTINCT shard)::int AS shards,
       array_agg(shard * 1000 + id ORDER BY inserts.ctid) = array_agg(shard * 1000 + id ORDER BY shard, id) AS sorted,
       count(DISTINCT statement)::int AS statements, min(lock_timeout) AS "lockTimeout", min(propagated) AS propagated
     FROM inserts GROUP BY transaction`,
  );
  // In one order for all: two writers may wait for one another, but never deadlock.
  const one = { nodes: 1, shards: 2, sorted: true, statements: 2, lockTimeout: '50ms', propagated: 'local' };
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

test('a frozen node holds up its own plants alone, and after a time-out not even them', async () => {
  const { store, url } = await open({ timeoutMs: 1_000 });
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
  await expect.poll(() => store.plants.add(odd[0] as NewPlant).catch(String)).toHaveProperty('outcome');
});

test.each([
  [{}, 1],
  [{ maxWrites: 2 }, 2],
])('with %j, a node has %i writes at once', async (options, expected) => {
  const { store, url } = await open(options);
  const thaw = await startFault(url, 'odd', 'frozen');
  const inserting = () =>
    runSql(url, `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`);
  const adding: Promise<unknown>[] = [];
  for (const plant of odd.slice(0, 4)) {
    adding.push(store.plants.add(plant));
    await expect.poll(inserting).toHaveLength(Math.min(adding.length, expected));
  }
  await thaw();
  await Promise.all(adding);
});

test('a row that another session holds is waited for apart from its neighbours', async () => {
  const { store, url } = await open({ timeoutMs: 2_000 });
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

// As the server of a service that has outgrown it: Citus is installed on it, and its table distributed.
test('the extension and the distribution of the table arrive while the store is open, and are noticed within 2 s', async () => {
  const url = await migratedDatabase();
  const { observer, connectionsMax } = watchedConnections();
  const store = await opened({ connectionString: url, observer });
  expect(await store.plants.add(even[0] as NewPlant)).toEqual({ outcome: 'added' });
  const connections = await backends(url);
  await createCitus(url);
  await withNodes(url);
  expect(await store.plants.add(odd[0] as NewPlant)).toEqual({ outcome: 'added' });
  expect(connectionsMax()).toBe(10);
  await distributeCitus({ connectionString: url });
  await expect.poll(() => isAddedByNode(store, url), { timeout: 2_000 }).toBe(true);
  await store.check();
  expect(connectionsMax()).toBe(18);
  // Those that were open before go on.
  expect(await backends(url)).toEqual(expect.arrayContaining([...connections]));
});

test('a table that is distributed no more while a node is frozen: what waits for it is stored before the store closes', async () => {
  const { observer, connectionsMax } = watchedConnections();
  const { store, url } = await openReading({ observer, timeoutMs: 10_000 });
  await store.plants.add(odd[0] as NewPlant);
  const thaw = await startFault(url, 'odd', 'frozen');
  const added: unknown[] = [];
  // More writes than are in flight at once.
  for (const plant of odd.slice(1, 9)) {
    void store.plants.add(plant).then(({ outcome }) => added.push(outcome), added.push.bind(added));
    await sleep(10);
  }
  await runSql(url, undistribute);
  await expect.poll(connectionsMax).toBe(10);
  const addedUntilClosed = store.close().then(() => [...added]);
  await thaw();
  expect(await addedUntilClosed).toEqual(Array(8).fill('added'));
});

// As citus_update_node and undistribute_table do.
test.each([
  [
    'node',
    'UPDATE pg_dist_node SET nodeport = 9709 WHERE groupid = 2',
    'UPDATE pg_dist_node SET nodeport = 9702 WHERE groupid = 2',
    18,
  ],
  ['table', undistribute, `INSERT INTO pg_dist_partition VALUES ('plants', 'h', 'id')`, 10],
])(
  'a %s that leaves while its circuit is open: the store of a node that has no shards is closed',
  async (_, leave, back, max) => {
    const observer = { ...unobserved, circuit: vi.fn(), watchConnections: vi.fn() };
    const onWarning = vi.fn<(message: string) => void>();
    const { store, url } = await openReading({ timeoutMs: 1_000, onWarning, observer });
    // A probe looks for it.
    await store.plants.add(odd[0] as NewPlant);
    const revive = await startFault(url, 'odd', 'dead');
    await expect(store.plants.add(odd[1] as NewPlant)).rejects.toThrow('remote node');
    expect(observer.circuit).toHaveBeenLastCalledWith('open');
    const connections = await backends(url);
    await runSql(url, leave);
    await expect.poll(() => observer.circuit.mock.lastCall).toEqual(['closed']);
    expect(onWarning).toHaveBeenLastCalledWith(`Citus node ${nodes.odd} has no shards any more`);
    // One reads the map.
    await expect.poll(async () => (await backends(url)).filter((pid) => connections.includes(pid))).toHaveLength(1);
    await revive();
    expect(await store.plants.add(odd[1] as NewPlant)).toEqual({ outcome: 'added' });
    const [figures] = observer.watchConnections.mock.calls[0] as [() => { max: number }];
    expect(figures().max).toBe(max);
    // It gets another store if it comes back.
    await runSql(url, back);
    await expect.poll(() => figures().max).toBe(18);
    expect(await store.plants.add(odd[2] as NewPlant)).toEqual({ outcome: 'added' });
  },
);

test('a catalog that cannot be read is read again, with a warning when it begins to fail; the last map is kept', async () => {
  const url = await citusWithNodes();
  await distributeCitus({ connectionString: url });
  await runSql(url, 'ALTER TABLE pg_dist_placement RENAME TO elsewhere');
  const onWarning = vi.fn<(message: string) => void>();
  const store = await reading({ connectionString: url, onWarning });
  await store.plants.add(even[0] as NewPlant);
  await sleep(100);
  expect(onWarning.mock.calls).toEqual([[expect.stringContaining('relation "pg_dist_placement" does not exist')]]);
  await runSql(url, 'ALTER TABLE elsewhere RENAME TO pg_dist_placement');
  await expect.poll(() => isAddedByNode(store, url)).toBe(true);
  await runSql(url, 'ALTER TABLE pg_dist_placement RENAME TO elsewhere');
  await expect.poll(() => onWarning.mock.calls.length).toBe(2);
  expect(await isAddedByNode(store, url)).toBe(true);
});

test('a store that is closed while it reads the map for the first time leaves no connection', async () => {
  const url = await citusWithNodes();
  const { letGo } = await hold(url, 'LOCK pg_dist_partition');
  const store = await reading({ connectionString: url, timeoutMs: 50 });
  await store.close();
  await letGo();
  await expect.poll(() => backends(url)).toEqual([]);
  await sleep(100);
  expect(await backends(url)).toEqual([]);
});

test('a node for which no connection can be prepared: its plants are stored as before, with a warning, until it can', async () => {
  const url = await citusWithNodes();
  const directory = await mkdtemp(join(tmpdir(), 'citus '));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = join(directory, 'root.crt');
  await writeFile(file, '');
  const onWarning = vi.fn<(message: string) => void>();
  const connectionString = `${url}${url.includes('?') ? '&' : '?'}sslrootcert=${encodeURIComponent(file)}&sslmode=disable`;
  const store = await reading({ connectionString, onWarning });
  await store.plants.add(even[0] as NewPlant);
  await rm(file);
  await distributeCitus({ connectionString: url });
  await expect.poll(() => onWarning.mock.calls.length).toBe(3);
  const ofNode = /^Citus node 127\.0\.0\.1:970\d cannot be used, and is tried again; .*no such file/;
  expect(onWarning.mock.calls.filter(([message]) => ofNode.test(message))).toHaveLength(2);
  expect(await store.plants.add(odd[0] as NewPlant)).toEqual({ outcome: 'added' });
  await writeFile(file, '');
  await expect.poll(() => isAddedByNode(store, url)).toBe(true);
});

test('durability that cannot be read is read again, with a warning when it begins to fail', async () => {
  const onWarning = vi.fn<(message: string) => void>();
  const warnings = () => onWarning.mock.calls.filter(([message]) => message.startsWith('Whether the commits'));
  const hide = 'ALTER FUNCTION run_command_on_workers RENAME TO elsewhere';
  const { store, url } = await openReading({ onWarning }, hide);
  await sleep(100);
  expect(warnings()).toEqual([[expect.stringContaining('function run_command_on_workers(unknown) does not exist')]]);
  await runSql(
    url,
    `ALTER FUNCTION elsewhere RENAME TO run_command_on_workers; UPDATE pg_dist_node SET commits = 'off'`,
  );
  await expect.poll(() => store.plants.add(odd[0] as NewPlant).catch(String)).toContain('synchronous_commit is off');
  await runSql(url, hide);
  await expect.poll(() => warnings().length).toBe(2);
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
  expect(isRemote(error)).toBe(true);
  expect(isTransient(translateError(error))).toBe(true);
});

test('observers of parts report as one', () => {
  const observer = {
    watchWaiting: vi.fn(),
    watchConnections: vi.fn(),
    circuit: vi.fn(),
    wrote: vi.fn<StoreObserver['wrote']>(),
    retried: vi.fn<StoreObserver['retried']>(),
  };
  const shared = sharedObserver(observer);
  const [one, two, idle] = [shared.part(() => true), shared.part(() => true), shared.part(() => false)];
  idle.watchConnections(() => ({ used: 0, idle: 10, pending: 0, max: 10 }));
  for (const part of [one, two]) {
    part.circuit('closed');
    part.watchWaiting(() => 2);
    part.watchConnections(() => ({ used: 1, idle: 2, pending: 3, max: 4 }));
  }
  expect(observer.watchWaiting.mock.calls.map(([count]) => count())).toEqual([4]);
  expect(observer.watchConnections.mock.calls.map(([figures]) => figures())).toEqual([
    { used: 2, idle: 4, pending: 6, max: 8 },
  ]);
  one.wrote('done', 2, 1);
  two.retried();
  expect(observer.wrote.mock.calls).toEqual([['done', 2, 1]]);
  // Methods of an object, which may be of a class.
  expect([observer.wrote, observer.retried].flatMap(({ mock }) => mock.contexts)).toEqual([observer, observer]);
  observer.circuit.mockClear();
  for (const state of ['open', 'closed'] as const) for (const part of [one, two]) part.circuit(state);
  expect(observer.circuit.mock.calls).toEqual([['open'], ['closed']]);
});

/** Whether a plant that is added goes to the store of a node. */
async function isAddedByNode(store: PlantStore, url: string): Promise<boolean> {
  await runSql(url, 'DELETE FROM inserts');
  await store.plants.add({ id: BigInt(Date.now()), name: 'Moss' });
  const [{ isByNode } = {}] = await runSql(url, `SELECT statement LIKE '%values%' AS "isByNode" FROM inserts`);
  return isByNode === true;
}

function watchedConnections() {
  const watchConnections = vi.fn<StoreObserver['watchConnections']>();
  const connectionsMax = () => watchConnections.mock.calls[0]?.[0]().max;
  return { observer: { ...unobserved, watchConnections }, connectionsMax };
}

/** A store on a distributed table that reads the map all the time. */
async function openReading(options: Partial<CitusOptions>, before = '') {
  const url = await citusWithNodes();
  await distributeCitus({ connectionString: url });
  await runSql(url, before);
  return { url, store: await reading({ ...options, connectionString: url }) };
}

async function mapOf(connectionString: string): Promise<ShardMap | undefined> {
  const db = openKysely(completeOptions({ connectionString }));
  onTestFinished(() => db.destroy());
  return readShardMap(db);
}

async function reading(options: CitusOptions, readEveryMs = 20) {
  const store = await storeByNode(completeOptions(options), readEveryMs, readEveryMs);
  onTestFinished(() => store.close());
  return store;
}

/** A store on a distributed table. */
async function open(options: Partial<CitusOptions> = {}) {
  const url = await citusWithNodes();
  await distributeCitus({ connectionString: url }, 4);
  return { url, store: await opened({ ...options, connectionString: url }) };
}

/** Slow is no overload here: the machine may be busy. */
async function opened(options: CitusOptions): Promise<PlantStore> {
  const store = await openCitus({ maxWaitMs: 60_000, ...options });
  onTestFinished(() => store.close());
  return store;
}
