import { StoreUnavailable } from '@plant-store/domain';
import { type DedicatedServer, runSql, startDedicatedServer } from '@plant-store/testing-postgres';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { migratedDatabase, openStore } from './open-store.ts';

const fern = { id: 1n, name: 'Fern' };

let server: DedicatedServer;
beforeAll(async () => {
  server = await startDedicatedServer({ fsync: false });
});
afterAll(() => server.stop());

/** From now on a commit waits for a standby that does not exist. */
async function waitForStandby(name: string): Promise<void> {
  await runSql(server.url, `ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
  await runSql(server.url, 'SELECT pg_reload_conf()');
  await vi.waitFor(async () =>
    expect(await runSql(server.url, 'SHOW synchronous_standby_names')).toEqual([{ synchronous_standby_names: name }]),
  );
}

/** Cancels the waits until there are no more: their rows are committed and visible, but only on this server. */
async function cancelWaitsUntil(isOver: () => boolean): Promise<void> {
  await vi.waitFor(async () => {
    await runSql(server.url, `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
    expect(isOver()).toBe(true);
  }, 5_000);
}

test('a cancelled wait for a standby does not acknowledge a plant, nor does finding its row', async () => {
  const connectionString = await migratedDatabase(server.url);
  const { store, url } = await openStore({ connectionString, timeoutMs: 10_000 });
  const another = await openStore({ connectionString, timeoutMs: 10_000 });
  await waitForStandby('none');

  // Each attempt waits, even those that find the row; the third is the last.
  for (const { plants } of [store, another.store]) {
    let over = false;
    const add = plants.add(fern).finally(() => {
      over = true;
    });
    const failed = expect(add).rejects.toThrow(
      new StoreUnavailable('PostgreSQL: canceling wait for synchronous replication due to user request'),
    );
    await cancelWaitsUntil(() => over);
    await failed;
    expect(await runSql(url, 'SELECT id, name FROM plants')).toEqual([{ id: '1', name: 'Fern' }]);
  }

  await waitForStandby('');
  await vi.waitFor(async () =>
    expect(await store.plants.add(fern)).toEqual({ outcome: 'exists', plant: { name: 'Fern' } }),
  );
});
