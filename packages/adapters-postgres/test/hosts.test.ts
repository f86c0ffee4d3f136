import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migratePostgres } from '@plant-store/adapters-postgres';
import { type DedicatedServer, runSql, startDedicatedServer } from '@plant-store/testing-postgres';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openStore } from './open-store.ts';

const added = { outcome: 'added' };

let servers: readonly [DedicatedServer, DedicatedServer];
beforeAll(async () => {
  servers = await Promise.all([startDedicatedServer(), startDedicatedServer()]);
  for (const { url } of servers) await migratePostgres({ connectionString: url });
});
afterAll(() => Promise.all(servers.map((server) => server.stop())));

test('a host where no server listens is skipped', async () => {
  const { store } = await openStore({ connectionString: inOne('postgres://postgres@127.0.0.1:1/x', servers[0].url) });
  expect(await store.plants.add({ id: 1n, name: 'Fern' })).toEqual(added);
});

test('if a host becomes a standby, the next one is used; if all are standbys, the error says so', async () => {
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
  await runSql(first.url, 'SELECT pg_promote()');
  await vi.waitFor(async () => expect(await store.plants.add({ id: 5n, name: 'Elm' })).toEqual(added), 5_000);
  expect(await idsIn(first)).toContain('5');
});

/** One connection string with the hosts of two; the rest is the second one's. */
function inOne(first: string, second: string): string {
  const hostOf = (url: string) => /@([^/]+)/.exec(url)?.[1] ?? expect.fail(`no host in ${url}`);
  return second.replace(hostOf(second), `${hostOf(first)},${hostOf(second)}`);
}

/** Like a former primary that returns after a failover. */
async function becomeStandby(server: DedicatedServer): Promise<void> {
  const [row] = await runSql(server.url, 'SHOW data_directory');
  await server.kill();
  await writeFile(join(String(row?.['data_directory']), 'standby.signal'), '');
  await server.start();
}

async function idsIn({ url }: DedicatedServer): Promise<unknown[]> {
  const rows = await runSql(url, 'SELECT id FROM plants ORDER BY id');
  return rows.map(({ id }) => id);
}
