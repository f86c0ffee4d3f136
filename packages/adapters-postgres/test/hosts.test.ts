import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migratePostgres } from '@plant-store/adapters-postgres';
import { type DedicatedServer, ownServer, runSql } from '@plant-store/testing-postgres';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type Connections, openConnections } from '../src/driver/connections.ts';
import { completeOptions } from '../src/options.ts';
import { fakeServer, letsIn } from './fake-server.ts';
import { openStore } from './open-store.ts';

const added = { outcome: 'added' };

const servers = [ownServer({ fsync: false }), ownServer({ fsync: false })] as const;
beforeAll(async () => {
  for (const { url } of servers) await migratePostgres({ connectionString: url });
});

test('a host that accepts a connection and then hangs fails in time', async () => {
  const { url } = await fakeServer(letsIn);
  // A tenth of it is what a busy machine may be late: else the wait for a connection ends first.
  await expect(hostsOf(url, 2_000).acquire()).rejects.toThrow('PostgreSQL: Query read timeout');
});

test('a host that hangs with every connection is given up for the next one', async () => {
  const [first, second] = servers;
  const { store } = await openStore({
    connectionString: inOne(first.url, second.url),
    poolSize: 1,
    timeoutMs: 600,
    connectWithinMs: 500,
  });
  expect(await store.plants.add({ id: 20n, name: 'Moss' })).toEqual(added);
  await first.pause();
  onTestFinished(() => first.resume());
  await vi.waitFor(async () => expect(await store.plants.add({ id: 21n, name: 'Ivy' })).toEqual(added), 10_000);
  expect(await idsIn(second)).toEqual(['21']);
  await runSql(second.url, 'DELETE FROM plants');
});

test('if a host becomes a standby, the next one is used; if all are standbys, the error says so; the only host may be one', async () => {
  const [first, second] = servers;
  const { store } = await openStore({ connectionString: inOne(first.url, second.url) });
  expect(await store.plants.add({ id: 2n, name: 'Moss' })).toEqual(added);
  expect(await idsIn(first)).toContain('2');

  await becomeStandby(first);
  await vi.waitFor(async () => expect(await store.plants.add({ id: 3n, name: 'Ivy' })).toEqual(added), 5_000);
  expect(await idsIn(first)).not.toContain('3');
  expect(await idsIn(second)).toEqual(['3']);

  await becomeStandby(second);
  await vi.waitFor(
    () => expect(store.plants.add({ id: 4n, name: 'Oak' })).rejects.toThrow(/is a standby.*is a standby/),
    5_000,
  );
  // For an export, say.
  const only = hostsOf(second.url);
  expect(await directoryOfNext(only)).toEqual(await directoryOf(second));
  await only.end();
  await runSql(first.url, 'SELECT pg_promote()');
  await vi.waitFor(async () => expect(await store.plants.add({ id: 5n, name: 'Elm' })).toEqual(added), 5_000);
  expect(await idsIn(first)).toContain('5');
});

/** One connection string with the hosts of two; the rest is the second one's. */
function inOne(first: string, second: string): string {
  const hostOf = (url: string) => /@([^/]+)/.exec(url)?.[1] ?? expect.fail(`no host in ${url}`);
  return second.replace(hostOf(second), `${hostOf(first)},${hostOf(second)}`);
}

function hostsOf(connectionString: string, connectWithinMs = 5_000): Connections {
  return openConnections(completeOptions({ connectionString, connectWithinMs }));
}

/** The data directory of the server that the next connection comes from. */
async function directoryOfNext(hosts: Connections): Promise<unknown> {
  const { session, release } = await hosts.acquire();
  const { rows } = await session.use((client) => client.query('SHOW data_directory'));
  // The next one is another.
  session.destroy();
  release();
  return rows[0]?.data_directory;
}

async function directoryOf({ url }: DedicatedServer): Promise<unknown> {
  const [row] = await runSql(url, 'SHOW data_directory');
  return row?.['data_directory'];
}

/** Like a former primary that returns after a failover. */
async function becomeStandby(server: DedicatedServer): Promise<void> {
  const directory = await directoryOf(server);
  await server.kill();
  await writeFile(join(String(directory), 'standby.signal'), '');
  await server.start();
}

async function idsIn({ url }: DedicatedServer): Promise<unknown[]> {
  const rows = await runSql(url, 'SELECT id FROM plants ORDER BY id');
  return rows.map(({ id }) => id);
}
