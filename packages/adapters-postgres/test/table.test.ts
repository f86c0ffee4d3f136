import { migratePostgres, postgresExport, postgresMigrationStatus } from '@plant-store/adapters-postgres';
import { StoreMisconfigured } from '@plant-store/domain';
import { adoptedTable } from '@plant-store/store-kit';
import { freshDatabase, runSql } from '@plant-store/testing/postgres';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { migratedDatabase, onLogin, openStore, trigger, withRole } from './open-store.ts';

const fern = { id: 1n, name: 'Fern' };
const moss = { id: 2n, name: '蕨', tag: 'NULL' };

const RENAMED = 'ALTER TABLE plants RENAME TO old';
const BACK = 'ALTER TABLE old RENAME TO plants';
const inParts = (first: string) => `DROP TABLE plants;
  CREATE TABLE plants (id bigint PRIMARY KEY, name text NOT NULL, tag text) PARTITION BY RANGE (id);
  CREATE ${first} TABLE low PARTITION OF plants FOR VALUES FROM (MINVALUE) TO (100);
  CREATE TABLE high PARTITION OF plants FOR VALUES FROM (100) TO (MAXVALUE)`;
const databaseOf = (url: string) => new URL(url).pathname.slice(1);

const altered: readonly [change: string, fault: string, undo: string][] = [
  ['SET UNLOGGED', 'plants is not logged, so a crash', 'SET LOGGED'],
  ['ALTER name TYPE varchar(9)', 'name is of the type character varying(9), not', 'ALTER name TYPE text'],
  ['ALTER name TYPE char(9)', 'name is of the type character(9), not text', 'ALTER name TYPE text'],
  ['ALTER id TYPE numeric', 'id is of the type numeric, not bigint', 'ALTER id TYPE bigint'],
  ['ALTER name TYPE label', 'name is of the type label, not text', 'ALTER name TYPE text'],
  ['ALTER tag SET NOT NULL', 'tag is NOT NULL, so that plants', 'ALTER tag DROP NOT NULL'],
  ['ADD planter text NOT NULL', 'planter is NOT NULL and has no default', 'DROP planter'],
  ['ADD planter required', 'planter is NOT NULL and has no default', 'DROP planter'],
  ['DROP tag', 'the column tag is missing', 'ADD tag text'],
  ["DROP tag, ADD tag text GENERATED ALWAYS AS ('x') STORED", 'the column tag is generated', 'DROP tag, ADD tag text'],
  ['ALTER id ADD GENERATED ALWAYS AS IDENTITY', 'id is generated', 'ALTER id DROP IDENTITY'],
  ['DROP CONSTRAINT plants_pkey', 'its primary key is not id alone', 'ADD PRIMARY KEY (id)'],
  [
    'DROP CONSTRAINT plants_pkey, ADD PRIMARY KEY (id) DEFERRABLE',
    'its primary key is not id alone',
    'DROP CONSTRAINT plants_pkey, ADD PRIMARY KEY (id)',
  ],
];

test.each([
  ...altered.map(([change, fault, undo]) => [`ALTER TABLE plants ${change}`, fault, `ALTER TABLE plants ${undo}`]),
  [inParts('UNLOGGED'), 'low is not logged', 'ALTER TABLE low SET LOGGED'],
  ['CREATE RULE no AS ON INSERT TO plants DO INSTEAD NOTHING', 'it has the rule no', 'DROP RULE no ON plants'],
  ['CREATE TABLE child () INHERITS (plants)', 'tables inherit from it', 'DROP TABLE child'],
  [`${RENAMED}; CREATE VIEW plants AS SELECT * FROM old`, 'it is not a table', `DROP VIEW plants; ${BACK}`],
  [`${RENAMED}; CREATE TABLE plants (LIKE old INCLUDING ALL)`, 'another one than before', `DROP TABLE plants; ${BACK}`],
  [
    // What Citus puts on a table that it distributes.
    `CREATE FUNCTION citus_truncate_trigger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
     CREATE TRIGGER truncate_trigger AFTER TRUNCATE ON plants EXECUTE FUNCTION citus_truncate_trigger()`,
    'Citus distributes it: use a URL that begins with citus://',
    'DROP TRIGGER truncate_trigger ON plants',
  ],
])('%s: not ready and unavailable, until it is undone', async (change = '', fault = '', undo = '') => {
  const { store, url } = await openStore();
  await runSql(url, 'CREATE DOMAIN label AS text; CREATE DOMAIN required AS text NOT NULL');
  await store.check();
  await runSql(url, change);
  await expect(store.check()).rejects.toThrow(fault);
  await expect(store.plants.add(fern)).rejects.toThrow(StoreMisconfigured);
  // Who comes later knows of no other table.
  if (!change.includes('LIKE old')) await expect(openStore({ connectionString: url })).rejects.toThrow(fault);
  await runSql(url, undo);
  await expect.poll(() => store.plants.add(fern).catch(String)).toEqual({ outcome: 'added' });
  await store.check();
  await openStore({ connectionString: url });
});

test.each([
  'ALTER TABLE plants ADD planter text NOT NULL',
  `ALTER TABLE plants ADD planter text NOT NULL; ${trigger('NULL')}`,
  'ALTER TABLE plants ALTER name TYPE varchar(3)',
  'ALTER TABLE plants ALTER id TYPE int2',
])('%s: no plant is called refused, before anybody has looked', async (change) => {
  const { store, url } = await openStore();
  await store.check();
  await runSql(url, change);
  const adding = Array.from({ length: 9 }, (_, at) => store.plants.add({ id: 40_000n + BigInt(at), name: 'Moss' }));
  for (const { reason } of (await Promise.allSettled(adding)) as PromiseRejectedResult[])
    expect(reason).toBeInstanceOf(StoreMisconfigured);
});

test.each([
  'ALTER DATABASE db SET quote_all_identifiers = on',
  'ALTER TABLE plants ALTER name TYPE varchar',
  'CREATE RULE no AS ON INSERT TO plants DO INSTEAD NOTHING; ALTER TABLE plants DISABLE RULE no',
  'CREATE SCHEMA later; CREATE VIEW later.plants AS SELECT 1 AS id; ALTER DATABASE db SET search_path = public, later',
  `ALTER TABLE plants ADD planter text NOT NULL; ${trigger("NEW.planter := 'me'")}`,
  trigger("RAISE WARNING 'careful'"),
  inParts(''),
])('%s: no fault', async (change) => {
  const url = await migratedDatabase();
  await runSql(url, change.replace(' db ', ` ${databaseOf(url)} `));
  await migratePostgres({ connectionString: url });
  const { store } = await openStore({ connectionString: url });
  await store.check();
  expect(await store.plants.add(moss)).toEqual({ outcome: 'added' });
  expect(await store.plants.add(moss)).toEqual({ outcome: 'exists', plant: { name: '蕨', tag: 'NULL' } });
});

test('row security without a policy for each command is refused; one that is dropped later is missed when rows are hidden', async () => {
  const owner = await migratedDatabase();
  await runSql(
    owner,
    `ALTER TABLE plants ENABLE ROW LEVEL SECURITY;
     CREATE POLICY reads ON plants FOR SELECT USING (true); CREATE POLICY adds ON plants FOR INSERT WITH CHECK (true);
     CREATE POLICY others ON plants FOR UPDATE TO pg_monitor USING (true)`,
  );
  const url = await withRole(owner, 'SELECT, INSERT, UPDATE');
  const fault = 'no policy lets the user UPDATE';
  await expect(openStore({ connectionString: url })).rejects.toThrow(fault);
  await runSql(owner, 'CREATE POLICY updates ON plants FOR UPDATE USING (true)');
  const { store } = await openStore({ connectionString: url });
  for (const outcome of ['added', 'exists']) expect(await store.plants.add(fern)).toMatchObject({ outcome });
  await runSql(owner, 'DROP POLICY updates ON plants');
  await expect(store.plants.add(fern)).rejects.toThrow(fault);
});

describe('the encoding of the database', () => {
  const make = async (encoding: string) => {
    const name = `${encoding.toLowerCase()}_${Math.random().toString(36).slice(2)}`;
    const url = await freshDatabase();
    await runSql(url, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING '${encoding}' LOCALE 'C'`);
    onTestFinished(async () => void (await runSql(url, `DROP DATABASE ${name} WITH (FORCE)`)));
    return Object.assign(new URL(url), { pathname: name }).href;
  };

  test('that lacks characters is refused, before tables are made', async () => {
    const url = await make('LATIN1');
    const fault = /the encoding LATIN1, which lacks characters: make one with ENCODING 'UTF8'/;
    await expect(migratePostgres({ connectionString: url })).rejects.toThrow(fault);
    await runSql(url, 'CREATE TABLE plants (id bigint PRIMARY KEY, name text NOT NULL, tag text)');
    await expect(openStore({ connectionString: url })).rejects.toThrow(fault);
  });

  test('that is none keeps bytes as they are', async () => {
    const url = await make('SQL_ASCII');
    await migratePostgres({ connectionString: url });
    const { store } = await openStore({ connectionString: url });
    await runSql(url, `ALTER TABLE plants ADD CHECK (name <> 'Fern')`);
    const [adding, refused] = await Promise.allSettled([moss, fern].map((plant) => store.plants.add(plant)));
    expect([adding?.status, refused]).toMatchObject(['fulfilled', { reason: { name: 'PlantRefused' } }]);
    expect(await store.plants.add(moss)).toMatchObject({ plant: { name: '蕨' } });
    await store.close();
  });
});

describe('a schema that comes first in the search path', () => {
  const setUp = async () => {
    const owner = await migratedDatabase();
    const url = await withRole(owner, 'SELECT, INSERT, UPDATE');
    await runSql(owner, 'GRANT SELECT ON plant_store_migration TO PUBLIC');
    const role = new URL(url).username;
    return { owner, url, role, schema: `CREATE SCHEMA ${role} AUTHORIZATION ${role}` };
  };

  test('gets no second table from a migration, and hides none', async () => {
    const { owner, url, schema } = await setUp();
    await runSql(owner, schema);
    const migrations = await postgresMigrationStatus({ connectionString: url });
    expect(migrations.every(({ applied }) => applied)).toBe(true);
    await migratePostgres({ connectionString: url });
    const { store } = await openStore({ connectionString: url });
    await store.plants.add(fern);
    expect(await runSql(owner, 'SELECT id FROM public.plants')).toEqual([{ id: '1' }]);
  });

  test('takes no plants; if it has the table of migrations as well, a later opening asks which table it is', async () => {
    const { owner, url, role, schema } = await setUp();
    const { store } = await openStore({ connectionString: url });
    await store.plants.add(fern);
    const like = (table: string) =>
      `SET ROLE ${role}; CREATE TABLE ${role}.${table} (LIKE public.${table} INCLUDING ALL)`;
    await runSql(owner, `${schema}; GRANT ALL ON plant_store_migration TO ${role}; ${like('plants')}`);
    for (const each of [store, (await openStore({ connectionString: url })).store]) {
      expect(await each.plants.add(fern)).toMatchObject({ outcome: 'exists' });
      await each.check();
    }
    await runSql(owner, like('plant_store_migration'));
    await store.check();
    const fault = `the search path has both ${role}.plants and public.plants`;
    await expect(openStore({ connectionString: url })).rejects.toThrow(fault);
    await expect(migratePostgres({ connectionString: url })).rejects.toThrow(fault);
    const reading = postgresExport({ connectionString: url }).readAll()[Symbol.asyncIterator]();
    await expect(reading.next()).rejects.toThrow(fault);
  });

  test('hides it: no second one is made, unless the URL names a schema', async () => {
    const url = await migratedDatabase();
    await runSql(url, `CREATE SCHEMA other; ALTER DATABASE ${databaseOf(url)} SET search_path = other`);
    const fault = 'public.plants is there, and the search path';
    await expect(migratePostgres({ connectionString: url })).rejects.toThrow(fault);
    expect(await runSql(url, `SELECT to_regclass('other.plants') AS made`)).toEqual([{ made: null }]);
  });
});

test('a table that only this session leads to is not taken', async () => {
  const url = await migratedDatabase();
  const moved = ['plants', 'plant_store_migration'].map((table) => `ALTER TABLE ${table} SET SCHEMA app`).join(';');
  await runSql(url, `CREATE SCHEMA app; ${moved}; ${onLogin('app')}`);
  const fault = 'app.plants is in the search path of this session alone';
  await expect(openStore({ connectionString: url })).rejects.toThrow(fault);
  await expect(migratePostgres({ connectionString: url })).rejects.toThrow(fault);
  await expect(postgresMigrationStatus({ connectionString: url })).rejects.toThrow(fault);
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

test('nor does what others set in a session meanwhile, as behind a pooler', async () => {
  const owner = await migratedDatabase();
  const leak = `INSERT INTO public.seen
      VALUES (concat_ws(' ', current_setting('synchronous_commit'), current_setting('client_min_messages')));
    PERFORM set_config('synchronous_commit', 'off', false), set_config('client_min_messages', 'error', false),
      set_config('search_path', 'other', false), set_config('array_nulls', 'off', false)`;
  await runSql(
    owner,
    `CREATE SCHEMA other; CREATE TABLE other.plants (LIKE plants INCLUDING ALL); CREATE TABLE seen (settings text);
     ${trigger(leak)}; ALTER TABLE plants ADD CHECK (name <> 'refused');
     ALTER DATABASE ${databaseOf(owner)} SET synchronous_commit = 'remote_apply'`,
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
    `CREATE SCHEMA other; ALTER DATABASE ${databaseOf(url)} SET search_path = other;
     SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  await expect.poll(() => store.plants.add(fern).catch(String)).toMatchObject({ outcome: 'exists' });
  await store.check();
});

test('a table that was dropped and restored is used again', async () => {
  const { store, url } = await openStore();
  await store.plants.add(fern);
  await runSql(url, 'CREATE TABLE backup AS SELECT * FROM plants; DROP TABLE plants');
  await expect(store.check()).rejects.toThrow('the table plants was dropped: restore it');
  const restored = 'CREATE TABLE plants (id bigint PRIMARY KEY, name text NOT NULL, tag text)';
  await runSql(url, `${restored}; INSERT INTO plants TABLE backup`);
  await expect.poll(() => store.check().catch(String)).toBeUndefined();
  expect(await store.plants.add(fern)).toMatchObject({ outcome: 'exists' });
});

test('a table of plants that is there is adopted, with a line that says so, and keeps its plants', async () => {
  const url = await migratedDatabase();
  await runSql(
    url,
    `INSERT INTO plants VALUES (1, 'Fern'); DROP TABLE plant_store_migration, plant_store_migration_lock`,
  );
  const onWarning = vi.fn<(message: string) => void>();
  const migrations = await migratePostgres({ connectionString: url, onWarning });
  expect(migrations.every(({ applied }) => applied)).toBe(true);
  expect(onWarning.mock.calls).toEqual([[adoptedTable('public.plants')]]);
  const { store } = await openStore({ connectionString: url });
  expect(await store.plants.add(fern)).toMatchObject({ outcome: 'exists' });
});
