import { migratePostgres, postgresExport } from '@plant-store/adapters-postgres';
import { freshDatabase, runSql } from '@plant-store/testing/postgres';
import { expect, test } from 'vitest';
import { migratedDatabase, onLogin, openStore, trigger } from './open-store.ts';

const fern = { id: 1n, name: 'Fern' };
const alter = (url: string, setting: string) => `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting}`;

test.each([
  ['synchronous_commit', 'off', 'on'],
  ['synchronous_commit', 'local', 'local'],
  ['synchronous_commit', 'remote_apply', 'remote_apply'],
  ['client_min_messages', 'error', 'warning'],
])('where %s = %s plants are committed with %s', async (setting, value, expected) => {
  const url = await migratedDatabase();
  const see = trigger(`INSERT INTO seen VALUES (current_setting('${setting}'))`);
  await runSql(url, `${alter(url, `${setting} = ${value}`)}; CREATE TABLE seen (value text); ${see}`);
  const { store } = await openStore({ connectionString: url });
  expect(await store.plants.add(fern)).toEqual({ outcome: 'added' });
  expect(await runSql(url, 'SELECT value FROM seen')).toEqual([{ value: expected }]);
});

test('what others have set in a session that is new to us does not matter', async () => {
  const url = await freshDatabase();
  await runSql(url, `CREATE SCHEMA other; CREATE TABLE other.plants (of_another_application int); ${onLogin('other')}`);
  await migratePostgres({ connectionString: url });
  const { store } = await openStore({ connectionString: url });
  await store.plants.add(fern);
  expect(await runSql(url, 'SELECT id FROM public.plants')).toEqual([{ id: '1' }]);
  for await (const plant of postgresExport({ connectionString: url }).readAll()) expect(plant).toEqual(fern);
});

test('a table that only this session leads to is not taken', async () => {
  const url = await freshDatabase();
  const table = 'CREATE TABLE app.plants (id bigint PRIMARY KEY, name text NOT NULL, tag text)';
  await runSql(url, `CREATE SCHEMA app; ${table}; ${onLogin('app')}`);
  const fault = 'app.plants is in the search path of this session alone';
  await expect(openStore({ connectionString: url })).rejects.toThrow(fault);
  await expect(migratePostgres({ connectionString: url })).rejects.toThrow(fault);
});

test('nor does what others set in a session meanwhile, as behind a pooler', async () => {
  const owner = await migratedDatabase();
  const leak = `INSERT INTO public.seen
      VALUES (concat_ws(' ', current_setting('synchronous_commit'), current_setting('client_min_messages')));
    PERFORM set_config('synchronous_commit', 'off', false), set_config('client_min_messages', 'error', false),
      set_config('search_path', 'other', false), set_config('array_nulls', 'off', false)`;
  await runSql(
    owner,
    `CREATE SCHEMA other; CREATE TABLE other.plants (LIKE plants INCLUDING ALL); CREATE TABLE seen (settings text);
     ${trigger(leak)}; ALTER TABLE plants ADD CHECK (name <> 'refused'); ${alter(owner, "synchronous_commit = 'remote_apply'")}`,
  );
  const { store } = await openStore({ connectionString: owner, poolSize: 1 });
  for (let id = 1n; id <= 3n; id += 1n) {
    await store.plants.add({ id, name: 'Fern' });
    const both = ['refused', 'Moss'].map((name, at) => store.plants.add({ id: 10n * id + BigInt(at), name }));
    await Promise.allSettled(both);
    await store.check();
  }
  expect(await store.plants.add(fern)).toEqual({ outcome: 'exists', plant: { name: 'Fern' } });
  expect(await runSql(owner, 'SELECT DISTINCT settings FROM seen')).toEqual([{ settings: 'remote_apply warning' }]);
  const [found] = await runSql(owner, 'SELECT count(tag)::int AS tags, count(*)::int AS plants FROM public.plants');
  expect(found).toEqual({ tags: 0, plants: 6 });
  expect(await runSql(owner, 'SELECT FROM other.plants')).toEqual([]);
});

test('a search path that changes while the service runs does not matter', async () => {
  const { store, url } = await openStore();
  await store.plants.add(fern);
  await runSql(
    url,
    `CREATE SCHEMA other; ${alter(url, 'search_path = other')}; SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  await expect.poll(() => store.plants.add(fern).catch(String)).toMatchObject({ outcome: 'exists' });
  await store.check();
});
