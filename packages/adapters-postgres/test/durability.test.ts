import { postgresExport } from '@plant-store/adapters-postgres';
import { StoreMisconfigured } from '@plant-store/domain';
import { runSql } from '@plant-store/testing-postgres';
import { expect, test } from 'vitest';
import { migratedDatabase, openStore } from './open-store.ts';

const fern = { id: 1n, name: 'Fern' };

test.each([
  ['synchronous_commit', 'off', 'on'],
  ['synchronous_commit', 'local', 'local'],
  ['synchronous_commit', 'remote_apply', 'remote_apply'],
  ['client_min_messages', 'error', 'warning'],
])('where %s = %s plants are committed with %s', async (setting, value, expected) => {
  const url = await migratedDatabase();
  await runSql(
    url,
    `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting} = ${value};
     CREATE TABLE seen (value text);
     CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       INSERT INTO seen VALUES (current_setting('${setting}')); RETURN NULL; END $$;
     CREATE TRIGGER see AFTER INSERT ON plants EXECUTE FUNCTION see()`,
  );
  const { store } = await openStore({ connectionString: url });
  expect(await store.plants.add(fern)).toEqual({ outcome: 'added' });
  expect(await runSql(url, 'SELECT value FROM seen')).toEqual([{ value: expected }]);
});

test('a table that a crash would empty is refused, and noticed when it becomes one', async () => {
  const { store, url } = await openStore();
  await store.check();
  await runSql(url, 'ALTER TABLE plants SET UNLOGGED');
  await expect(store.check()).rejects.toThrow(/public.plants cannot keep plants: plants is not logged, .*SET LOGGED/);
  await expect(store.plants.add(fern)).rejects.toThrow(StoreMisconfigured);
  // Before the crash.
  const { value } = await postgresExport({ connectionString: url }).readAll()[Symbol.asyncIterator]().next();
  expect(value).toBeUndefined();
  await runSql(url, 'ALTER TABLE plants SET LOGGED');
  await store.check();
  await expect.poll(() => store.plants.add(fern).catch(String)).toEqual({ outcome: 'added' });
});
