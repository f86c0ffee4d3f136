import { StoreUnavailable } from '@plant-store/domain';
import { runSql } from '@plant-store/testing-postgres';
import { expect, test } from 'vitest';
import { openStore } from './open-store.ts';

const fern = { id: 1n, name: 'Fern' };

test('a database whose commits are not durable is unavailable until they are', async () => {
  const { store, url } = await openStore();
  await setCommit(url, 'off');
  await expect(store.plants.add(fern)).rejects.toThrow(StoreUnavailable);
  await expect(store.check()).rejects.toThrow(/synchronous_commit is off, .*: set it to on/);
  expect(await runSql(url, 'SELECT FROM plants')).toEqual([]);
  await setCommit(url, 'on');
  await expect.poll(() => store.plants.add(fern).catch(String)).toEqual({ outcome: 'added' });
});

test.each(['local', 'remote_write', 'on', 'remote_apply'])('synchronous_commit = %s is accepted', async (value) => {
  const { store, url } = await openStore();
  await setCommit(url, value);
  expect(await store.plants.add(fern)).toEqual({ outcome: 'added' });
});

/** For the sessions of the database from now on. */
async function setCommit(url: string, value: string): Promise<void> {
  await runSql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = ${value}`);
}
