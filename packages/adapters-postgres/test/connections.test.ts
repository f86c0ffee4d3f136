import { exitWhileServerHangs } from '@plant-store/testing';
import { backends, openTransaction, ownServer, runSql } from '@plant-store/testing/postgres';
import { expect, test, vi } from 'vitest';
import type { PostgresOptions } from '../src/options.ts';
import { migratedDatabase, openStore } from './open-store.ts';

// These tests inspect the server's processes, and a shared server may be behind a pooler.
const server = ownServer({ fsync: false });

const patient = { timeout: 30_000, interval: 50 };

const fern = { id: 1n, name: 'Fern' };

test('an idle connection that is terminated is reported and replaced', async () => {
  const onError = vi.fn<(error: Error) => void>();
  const { store, url } = await open({ onError });
  await store.plants.add(fern);
  await runSql(url, 'SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [await backends(url)]);
  await expect.poll(() => onError.mock.calls).toHaveLength(1);
  expect(onError.mock.calls[0]?.[0].message).toMatch(/^idle connection to PostgreSQL lost: ./);
  expect(await store.plants.add({ ...fern, id: 2n })).toEqual({ outcome: 'added' });
});

test('if a statement never ends, its connection is closed and it is cancelled on the server', async () => {
  const { store, url } = await open({ poolSize: 1, timeoutMs: 3_000, dropAfterMs: 4_000 });
  await store.plants.add(fern);
  const [first] = (await backends(url)) as [number];
  await openTransaction(url, 'LOCK TABLE plants');
  await expect(store.plants.add(fern)).rejects.toThrow(/did not respond within 3000 ms/);
  await vi.waitFor(async () => {
    await store.plants.add(fern).catch(() => {});
    // The transaction with the lock, and a new connection.
    expect(await backends(url, first)).toHaveLength(2);
  }, patient);
  // Without a cancel request its backend would wait and occupy a slot of the server.
  await expect.poll(() => backends(url)).not.toContain(first);
});

test('a process exits once its store is closed, even if the server hangs', async () => {
  const adapter = import.meta.resolve('../src/storage-adapter.ts');
  expect(await exitWhileServerHangs(adapter, await migratedDatabase(server.url), server)).toEqual([0, null]);
});

async function open(options: Partial<PostgresOptions> = {}) {
  return openStore({ ...options, connectionString: await migratedDatabase(server.url) });
}
