import { runSql } from '@plant-store/testing/postgres';
import { expect, test } from 'vitest';
import { migratedDatabase, openStore, trigger } from './open-store.ts';

test.each([
  ['synchronous_commit', 'off', 'on'],
  ['synchronous_commit', 'local', 'local'],
  ['synchronous_commit', 'remote_apply', 'remote_apply'],
  ['client_min_messages', 'error', 'warning'],
])('where %s = %s plants are committed with %s', async (setting, value, expected) => {
  const url = await migratedDatabase();
  await runSql(
    url,
    `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting} = ${value}; CREATE TABLE seen (value text);
     ${trigger(`INSERT INTO seen VALUES (current_setting('${setting}'))`)}`,
  );
  const { store } = await openStore({ connectionString: url });
  expect(await store.plants.add({ id: 1n, name: 'Fern' })).toEqual({ outcome: 'added' });
  expect(await runSql(url, 'SELECT value FROM seen')).toEqual([{ value: expected }]);
});
