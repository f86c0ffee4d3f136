import { distributePostgres, type PostgresOptions } from '@plant-store/adapters-postgres';
import { type NewPlant, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { runSql } from '@plant-store/testing-postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { urlOfNode } from '../src/citus/url-of-node.ts';
import { openProxy } from '../src/harness/freezing-proxy.ts';
import { postgresAddress, throughProxy } from '../src/harness/postgres-address.ts';
import { throughFreezingProxies } from '../src/harness/route.ts';
import { openPostgresVia } from '../src/store.ts';
import { openStore } from './open-store.ts';
import { all, citusWithNodes, even, odd } from './stand-in-for-citus.ts';

const added = { outcome: 'added' };

test('plants are stored on connections to their nodes: adds, conflicts and checks go on without the coordinator', async () => {
  const { store, url, coordinator } = await open();
  expect(await Promise.all(odd.map((plant) => store.plants.add(plant)))).toEqual(odd.map(() => added));
  await coordinator.close();
  expect(await Promise.all(even.map((plant) => store.plants.add(plant)))).toEqual(even.map(() => added));
  const inserts = await runSql(
    url,
    `SELECT count(DISTINCT shard)::int AS shards, count(DISTINCT statement)::int AS statements, min(mode) AS mode
     FROM inserts GROUP BY transaction`,
  );
  const one = { shards: 2, statements: 1, mode: 'sequential' };
  expect(inserts).toEqual([one, one]);
  expect(await Promise.all(all.map((plant) => store.plants.add(plant)))).toEqual(
    all.map(({ name, tag }) => ({ outcome: 'exists', plant: { name, tag } })),
  );
  await store.check();
});

test('a node that cannot be reached costs its own plants alone', async () => {
  const { store, nodes } = await open();
  await Promise.all([even[0], odd[0]].map((plant) => store.plants.add(plant as NewPlant)));
  await nodes.odd.close();
  const adding = odd.slice(1).map((plant) => expect(store.plants.add(plant)).rejects.toThrow(StoreUnavailable));
  const others = even.slice(1);
  expect(await Promise.all(others.map((plant) => store.plants.add(plant)))).toEqual(others.map(() => added));
  await Promise.all(adding);
});

test('a server that is not the node gets no plants', async () => {
  const { store, url, nodes } = await open('DELETE FROM pg_dist_local_group WHERE groupid = 2');
  const failure = await store.plants.add(odd[0] as NewPlant).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StoreMisconfigured);
  expect(String(failure)).toContain(`the server at 127.0.0.1:${nodes.odd.port} is not the Citus node of that name`);
  expect(await store.plants.add(even[0] as NewPlant)).toEqual(added);
  expect(await runSql(url, 'SELECT id FROM plants_of_nodes')).toEqual([{ id: String(even[0]?.id) }]);
});

test('a node whose name no URL can have is reached through the coordinator, with a warning', async () => {
  const onWarning = vi.fn<(message: string) => void>();
  const { store } = await open(`UPDATE pg_dist_node SET nodename = 'fe80::1%eth0' WHERE groupid = 2`, { onWarning });
  expect(await store.plants.add(odd[0] as NewPlant)).toEqual(added);
  expect(onWarning).toHaveBeenCalledWith(expect.stringMatching(/^Citus node fe80::1%eth0:\d+ has a name that no URL/));
});

test('a node whose URL leads to no store is left to the coordinator, with a warning', async () => {
  const { url, nodes } = await cluster();
  const onWarning = vi.fn<(message: string) => void>();
  const urlOf: typeof urlOfNode = (connectionString, node) => {
    if (node.endsWith(`:${nodes.even.port}`)) throw new Error('sslrootcert: no such file');
    return urlOfNode(connectionString, node);
  };
  const store = await openPostgresVia({ connectionString: withRoute(url), onWarning }, urlOf);
  onTestFinished(() => store.close());
  await nodes.even.close();
  for (const plant of [even[0], odd[0]]) expect(await store.plants.add(plant as NewPlant)).toEqual(added);
  expect(onWarning.mock.calls).toEqual([
    [expect.stringMatching(/^Citus node 127\.0\.0\.1:\d+ cannot be used, .* the coordinator\. .*no such file$/)],
  ]);
});

test('while the harness has an outage, plants of no node are stored', async () => {
  const { url } = await cluster();
  await using resources = new AsyncDisposableStack();
  const { connectionString, urlOf, startOutage } = await throughFreezingProxies(withRoute(url), resources);
  const store = await openPostgresVia({ connectionString }, urlOf);
  resources.defer(() => store.close());

  const endOutage = await startOutage();
  const first = [even[0], odd[0]] as NewPlant[];
  await Promise.all(first.map((plant) => expect(store.plants.add(plant)).rejects.toThrow(StoreUnavailable)));
  await endOutage();
  const second = [even[1], odd[1]] as NewPlant[];
  await vi.waitFor(() => Promise.all(second.map((plant) => store.plants.add(plant))), 5_000);
  const modes = await runSql(url, 'SELECT DISTINCT mode FROM inserts');
  expect(modes).toEqual([{ mode: 'sequential' }]);
});

/** A store on a distributed table; coordinator and nodes are routes to one server. */
async function open(before = '', options: Partial<PostgresOptions> = {}) {
  const { url, coordinator, nodes } = await cluster(before);
  const connectionString = withRoute(throughProxy(url, coordinator.port));
  const { store } = await openStore({ ...options, connectionString });
  return { store, url, coordinator, nodes };
}

async function cluster(before = '') {
  const url = await citusWithNodes();
  const [coordinator, even, odd] = await Promise.all([
    openProxy(postgresAddress(url)),
    openProxy(postgresAddress(url)),
    openProxy(postgresAddress(url)),
  ]);
  onTestFinished(async () => void (await Promise.all([coordinator, even, odd].map((proxy) => proxy.close()))));
  await runSql(
    url,
    `UPDATE pg_dist_node SET nodeport = CASE groupid WHEN 1 THEN ${even.port} ELSE ${odd.port} END; ${before}`,
  );
  await distributePostgres({ connectionString: url });
  return { url, coordinator, nodes: { even, odd } };
}

function withRoute(url: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}citus_route=nodes`;
}
