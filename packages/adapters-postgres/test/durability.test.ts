import { postgresExport } from '@plant-store/adapters-postgres';
import { StoreMisconfigured } from '@plant-store/domain';
import { runSql } from '@plant-store/testing-postgres';
import { expect, test } from 'vitest';
import { migratedDatabase, openStore } from './open-store.ts';

const fern = { id: 1n, name: 'Fern' };

test.each([
  ['synchronous_commit', 'off', 'on'],
  ['array_nulls', 'off', 'on'],
  ['client_min_messages', 'error', 'warning'],
])('%s = %s: the store is unavailable until it is %s', async (setting, bad, good) => {
  const url = await migratedDatabase();
  await set(url, setting, bad);
  const { store } = await openStore({ connectionString: url });
  await expect(store.plants.add(fern)).rejects.toThrow(StoreMisconfigured);
  await expect(store.check()).rejects.toThrow(new RegExp(`${setting} is ${bad}, .*: set it to ${good}`));
  expect(await runSql(url, 'SELECT FROM plants')).toEqual([]);
  await set(url, setting, good);
  await expect.poll(() => store.plants.add(fern).catch(String)).toEqual({ outcome: 'added' });
});

test.each(['local', 'remote_write', 'on', 'remote_apply'])('synchronous_commit = %s is accepted', async (value) => {
  const connectionString = await migratedDatabase();
  await set(connectionString, 'synchronous_commit', value);
  const { store } = await openStore({ connectionString });
  expect(await store.plants.add(fern)).toEqual({ outcome: 'added' });
});

test('a table that a crash would empty is refused, and noticed when it becomes one', async () => {
  const { store, url } = await openStore();
  await store.check();
  await runSql(url, 'ALTER TABLE plants SET UNLOGGED');
  await expect(store.check()).rejects.toThrow(/the table plants is unlogged, .*SET LOGGED/);
  await expect(store.plants.add(fern)).rejects.toThrow(/unlogged/);
  // Before the crash.
  const { value } = await postgresExport({ connectionString: url }).readAll()[Symbol.asyncIterator]().next();
  expect(value).toBeUndefined();
  const { store: another } = await openStore({ connectionString: url });
  await expect(another.plants.add(fern)).rejects.toThrow(StoreMisconfigured);
  await runSql(url, 'ALTER TABLE plants SET LOGGED');
  await store.check();
  await expect.poll(() => another.plants.add(fern).catch(String)).toEqual({ outcome: 'added' });
});

/** For the sessions of the database from now on. */
async function set(url: string, setting: string, value: string): Promise<void> {
  await runSql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting} = ${value}`);
}
