import { chownSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StoreUnavailable } from '@plant-store/domain';
import { ownServer, runSql } from '@plant-store/testing/postgres';
import { expect, test, vi } from 'vitest';
import { migratedDatabase, openStore, waitForStandby } from './open-store.ts';

const server = ownServer({ fsync: false });

test('if the wait for a standby is cancelled, neither the insert nor finding the row acknowledges the plant', async () => {
  const fern = { id: 1n, name: 'Fern' };
  const connectionString = await migratedDatabase(server.url);
  const stores = [1, 2].map(() => openStore({ connectionString, timeoutMs: 10_000 }));
  await Promise.all(stores);
  await waitForStandby(server.url, 'none');
  // The second attempt finds the row, and waits too.
  for (const { store } of await Promise.all(stores)) {
    let failure: unknown;
    const adding = store.plants.add(fern).catch((error) => {
      failure = error;
    });
    await vi.waitFor(
      async () => {
        await runSql(server.url, `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
        const message = 'PostgreSQL: canceling wait for synchronous replication due to user request';
        expect(failure).toEqual(new StoreUnavailable(message));
      },
      { timeout: 30_000, interval: 50 },
    );
    await adding;
    expect(await runSql(connectionString, 'SELECT id FROM plants')).toEqual([{ id: '1' }]);
  }
  await waitForStandby(server.url, '');
  const { store } = (await stores[0]) ?? expect.unreachable();
  await expect.poll(() => store.plants.add(fern).catch(String)).toEqual({ outcome: 'exists', plant: { name: 'Fern' } });
});

// apps/api/test/faults fills the disk of the database.
test('a check writes a file in the tablespace of the table', async () => {
  const { store, url } = await openStore({ connectionString: await migratedDatabase(server.url) });
  const [row] = await runSql(server.url, `SELECT current_setting('data_directory') AS directory`);
  const data = String(row?.['directory']);
  const location = join(data, '../of plants');
  mkdirSync(location);
  const { uid, gid } = statSync(data);
  chownSync(location, uid, gid);
  await runSql(url, `CREATE TABLESPACE "of ""plants" LOCATION '${location}'`);
  await runSql(url, 'ALTER TABLE plants SET TABLESPACE "of ""plants"');
  await store.check();
  expect(readdirSync(location, { recursive: true })).toContainEqual(expect.stringMatching('pgsql_tmp'));
});
