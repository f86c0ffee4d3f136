import { migratePostgres, postgresExport } from '@plant-store/adapters-postgres';
import { textFields } from '@plant-store/domain';
import { freshDatabase, runSql } from '@plant-store/testing/postgres';
import { expect, test } from 'vitest';
import { migratedDatabase, onLogin, openStore, trigger } from './open-store.ts';

const fern = { id: 1n, name: 'Fern' };

test('a search path that another client of a pooler has set is ignored', async () => {
  const url = await freshDatabase();
  await runSql(url, `CREATE SCHEMA other; CREATE TABLE other.plants (of_another_application int); ${onLogin('other')}`);
  await migratePostgres({ connectionString: url });
  const { store } = await openStore({ connectionString: url });
  await store.plants.add(fern);
  expect(await runSql(url, 'SELECT id FROM public.plants')).toEqual([{ id: '1' }]);
  for await (const plant of postgresExport({ connectionString: url }).readAll()) expect(plant).toEqual(fern);
});

test('a table that only the search path of the session leads to is rejected', async () => {
  const url = await freshDatabase();
  const texts = textFields.map((field) => `${field} text`);
  const table = `CREATE TABLE app.plants (id bigint PRIMARY KEY, ${texts})`;
  await runSql(url, `CREATE SCHEMA app; ${table}; ${onLogin('app')}`);
  const fault = 'app.plants is only in the search path of this session';
  await expect(openStore({ connectionString: url })).rejects.toThrow(fault);
  await expect(migratePostgres({ connectionString: url })).rejects.toThrow(fault);
});

test.each([
  ['off', 'on'],
  ['local', 'local'],
  ['remote_apply', 'remote_apply'],
])(
  'with synchronous_commit = %s plants are committed with %s, whatever other clients of a pooler set',
  async (setting, expected) => {
    const owner = await migratedDatabase();
    const name = new URL(owner).pathname.slice(1);
    const leak = `INSERT INTO public.seen
      VALUES (concat_ws(' ', current_setting('synchronous_commit'), current_setting('client_min_messages')));
    PERFORM set_config('synchronous_commit', 'off', false), set_config('client_min_messages', 'error', false),
      set_config('search_path', 'other', false), set_config('array_nulls', 'off', false)`;
    await runSql(
      owner,
      `CREATE SCHEMA other; CREATE TABLE other.plants (LIKE plants INCLUDING ALL); CREATE TABLE seen (settings text);
     ${trigger(leak)}; ALTER TABLE plants ADD CHECK (name <> 'refused'); ALTER DATABASE ${name} SET synchronous_commit = ${setting}`,
    );
    const { store } = await openStore({ connectionString: owner, poolSize: 1 });
    for (let id = 1n; id <= 3n; id += 1n) {
      await store.plants.add({ id, name: 'Fern' });
      const both = ['refused', 'Moss'].map((name, at) => store.plants.add({ id: 10n * id + BigInt(at), name }));
      await Promise.allSettled(both);
      await store.check();
    }
    expect(await store.plants.add(fern)).toEqual({ outcome: 'exists', plant: { name: 'Fern' } });
    expect(await runSql(owner, 'SELECT DISTINCT settings FROM seen')).toEqual([{ settings: `${expected} warning` }]);
    const [found] = await runSql(owner, 'SELECT count(tag)::int AS tags, count(*)::int AS plants FROM public.plants');
    expect(found).toEqual({ tags: 0, plants: 6 });
    expect(await runSql(owner, 'SELECT FROM other.plants')).toEqual([]);
  },
);
