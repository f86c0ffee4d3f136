import { chownSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreUnavailable } from '@plant-store/domain';
import { ownServer, runSql } from '@plant-store/testing-postgres';
import { expect, test, vi } from 'vitest';
import { migratedDatabase, openStore } from './open-store.ts';
import { waitForStandby } from './outages.ts';

const fern = { id: 1n, name: 'Fern' };

const server = ownServer({ fsync: false });

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
  await waitForStandby(server.url, 'none');

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

  await waitForStandby(server.url, '');
  await vi.waitFor(async () =>
    expect(await store.plants.add(fern)).toEqual({ outcome: 'exists', plant: { name: 'Fern' } }),
  );
});

test('nothing is ready where no file can be written beside the table', async () => {
  const { store } = await openStore({ connectionString: await migratedDatabase(server.url) });
  await store.check();
  const files = join(await directoryOfData(), 'base/pgsql_tmp');
  rmSync(files, { recursive: true, force: true });
  writeFileSync(files, 'in the way');
  await expect(store.check()).rejects.toThrow(StoreUnavailable);
  rmSync(files);
  await store.check();
});

test('the file is in the tablespace of the table', async () => {
  const { store, url } = await openStore({ connectionString: await migratedDatabase(server.url) });
  const data = await directoryOfData();
  const location = join(data, '../of plants');
  mkdirSync(location);
  const { uid, gid } = statSync(data);
  chownSync(location, uid, gid);
  await runSql(url, `CREATE TABLESPACE "of ""plants" LOCATION '${location}'`);
  await runSql(url, 'ALTER TABLE plants SET TABLESPACE "of ""plants"');
  await store.check();
  expect(readdirSync(location, { recursive: true })).toContainEqual(expect.stringMatching('pgsql_tmp'));
});

async function directoryOfData(): Promise<string> {
  const [row] = await runSql(server.url, `SELECT current_setting('data_directory') AS directory`);
  return String(row?.['directory']);
}
