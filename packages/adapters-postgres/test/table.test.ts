import { migratePostgres, postgresExport, postgresMigrationStatus } from '@plant-store/adapters-postgres';
import { StoreMisconfigured } from '@plant-store/domain';
import { adoptedTable } from '@plant-store/store-kit';
import { freshDatabase, hold, runSql } from '@plant-store/testing-postgres';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { migratedDatabase, openStore, withRole } from './open-store.ts';

const fern = { id: 1n, name: 'Fern' };
const moss = { id: 2n, name: '蕨', tag: 'NULL' };

const TABLE = 'ALTER TABLE plants';
const RENAMED = `${TABLE} RENAME TO old`;
const BACK = 'ALTER TABLE old RENAME TO plants';

test.each([
  [`${TABLE} SET UNLOGGED`, 'plants is not logged, so a crash', `${TABLE} SET LOGGED`],
  [
    `${TABLE} ALTER name TYPE varchar(9)`,
    'name is of the type character varying(9), not',
    `${TABLE} ALTER name TYPE text`,
  ],
  [`${TABLE} ALTER name TYPE char(9)`, 'name is of the type character(9), not text', `${TABLE} ALTER name TYPE text`],
  [`${TABLE} ALTER id TYPE numeric`, 'id is of the type numeric, not bigint', `${TABLE} ALTER id TYPE bigint`],
  [`${TABLE} ALTER name TYPE label`, 'name is of the type label, not text', `${TABLE} ALTER name TYPE text`],
  [`${TABLE} ALTER tag SET NOT NULL`, 'tag is NOT NULL, so that plants', `${TABLE} ALTER tag DROP NOT NULL`],
  [`${TABLE} ADD planter text NOT NULL`, 'planter is NOT NULL and has no default', `${TABLE} DROP planter`],
  [`${TABLE} ADD planter required`, 'planter is NOT NULL and has no default', `${TABLE} DROP planter`],
  [`${TABLE} DROP tag`, 'the column tag is missing', `${TABLE} ADD tag text`],
  [
    `${TABLE} DROP tag, ADD tag text GENERATED ALWAYS AS ('x') STORED`,
    'the column tag is generated',
    `${TABLE} DROP tag, ADD tag text`,
  ],
  [`${TABLE} ALTER id ADD GENERATED ALWAYS AS IDENTITY`, 'id is generated', `${TABLE} ALTER id DROP IDENTITY`],
  [`${TABLE} DROP CONSTRAINT plants_pkey`, 'its primary key is not id alone', `${TABLE} ADD PRIMARY KEY (id)`],
  [
    `${TABLE} DROP CONSTRAINT plants_pkey, ADD PRIMARY KEY (id) DEFERRABLE`,
    'its primary key is not id alone',
    `${TABLE} DROP CONSTRAINT plants_pkey, ADD PRIMARY KEY (id)`,
  ],
  ['CREATE RULE no AS ON INSERT TO plants DO INSTEAD NOTHING', 'it has the rule no', 'DROP RULE no ON plants'],
  ['CREATE TABLE child () INHERITS (plants)', 'tables inherit from it', 'DROP TABLE child'],
  [`${RENAMED}; CREATE VIEW plants AS SELECT * FROM old`, 'it is not a table', `DROP VIEW plants; ${BACK}`],
  [`${RENAMED}; CREATE TABLE plants (LIKE old INCLUDING ALL)`, 'another one than before', `DROP TABLE plants; ${BACK}`],
])('%s: not ready and unavailable, until it is undone', async (change, fault, undo) => {
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

test.each([`${TABLE} ADD planter text NOT NULL`, `${TABLE} ALTER name TYPE varchar(3)`, `${TABLE} ALTER id TYPE int2`])(
  '%s: no plant is called refused, before anybody has looked',
  async (change) => {
    const { store, url } = await openStore();
    await store.check();
    await runSql(url, change);
    const plants = Array.from({ length: 9 }, (_, at) => ({ id: 40_000n + BigInt(at), name: 'Moss' }));
    const results = await Promise.allSettled(plants.map((plant) => store.plants.add(plant)));
    for (const { reason } of results as PromiseRejectedResult[]) expect(reason).toBeInstanceOf(StoreMisconfigured);
  },
);

test('a further column that a trigger fills is no fault', async () => {
  const { store, url } = await openStore();
  await runSql(
    url,
    `${TABLE} ADD planter text NOT NULL;
     CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.planter := 'me'; RETURN NEW; END $$;
     CREATE TRIGGER fill BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION fill()`,
  );
  await store.check();
  expect(await store.plants.add(fern)).toEqual({ outcome: 'added' });
});

describe('a table in parts', () => {
  const make = async (first: string) => {
    const url = await freshDatabase();
    await runSql(
      url,
      `CREATE TABLE plants (id bigint PRIMARY KEY, name text NOT NULL, tag text) PARTITION BY RANGE (id);
       CREATE ${first} TABLE low PARTITION OF plants FOR VALUES FROM (MINVALUE) TO (100);
       CREATE TABLE high PARTITION OF plants FOR VALUES FROM (100) TO (MAXVALUE)`,
    );
    return url;
  };

  test('is a table as any other', async () => {
    const url = await make('');
    await migratePostgres({ connectionString: url });
    const { store } = await openStore({ connectionString: url });
    expect(await store.plants.add(moss)).toEqual({ outcome: 'added' });
    expect(await store.plants.add(moss)).toMatchObject({ outcome: 'exists', plant: { name: '蕨', tag: 'NULL' } });
    await store.check();
  });

  test('of which one is not logged loses plants: it is refused', async () => {
    const url = await make('UNLOGGED');
    await expect(migratePostgres({ connectionString: url })).rejects.toThrow('low is not logged');
  });
});

test('row security without a policy for each command is refused; with them it is not', async () => {
  const owner = await migratedDatabase();
  await runSql(
    owner,
    `${TABLE} ENABLE ROW LEVEL SECURITY;
     CREATE POLICY reads ON plants FOR SELECT USING (true); CREATE POLICY adds ON plants FOR INSERT WITH CHECK (true);
     CREATE POLICY others ON plants FOR UPDATE TO pg_monitor USING (true)`,
  );
  const url = await withRole(owner, 'SELECT, INSERT, UPDATE');
  await expect(openStore({ connectionString: url })).rejects.toThrow('no policy lets the user UPDATE');
  await runSql(owner, 'CREATE POLICY updates ON plants FOR UPDATE USING (true)');
  const { store } = await openStore({ connectionString: url });
  for (const outcome of ['added', 'exists']) expect(await store.plants.add(fern)).toMatchObject({ outcome });
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
    await runSql(url, `${TABLE} ADD CHECK (name <> 'Fern')`);
    const adding = [moss, fern].map((plant) => store.plants.add(plant));
    expect(await Promise.allSettled(adding)).toMatchObject([
      { status: 'fulfilled' },
      { reason: { name: 'PlantRefused' } },
    ]);
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
    const like = (table: string) => `CREATE TABLE ${role}.${table} (LIKE public.${table} INCLUDING ALL)`;
    await runSql(
      owner,
      `${schema}; GRANT ALL ON plant_store_migration TO ${role}; SET ROLE ${role}; ${like('plants')}`,
    );
    for (const each of [store, (await openStore({ connectionString: url })).store]) {
      expect(await each.plants.add(fern)).toMatchObject({ outcome: 'exists' });
      await each.check();
    }
    await runSql(owner, `SET ROLE ${role}; ${like('plant_store_migration')}`);
    await store.check();
    const fault = `the search path has both ${role}.plants and public.plants`;
    await expect(openStore({ connectionString: url })).rejects.toThrow(fault);
    await expect(migratePostgres({ connectionString: url })).rejects.toThrow(fault);
    await expect(postgresExport({ connectionString: url }).readAll()[Symbol.asyncIterator]().next()).rejects.toThrow(
      fault,
    );
  });

  test('hides it: no second one is made, unless the URL names a schema', async () => {
    const url = await migratedDatabase();
    const name = new URL(url).pathname.slice(1);
    await runSql(url, `CREATE SCHEMA other; ALTER DATABASE ${name} SET search_path = other`);
    await expect(migratePostgres({ connectionString: url })).rejects.toThrow(
      'public.plants is there, and the search path',
    );
    expect(await runSql(url, `SELECT to_regclass('other.plants') AS made`)).toEqual([{ made: null }]);
  });
});

test('a table that only this session leads to is not taken', async () => {
  const url = await migratedDatabase();
  await runSql(
    url,
    `CREATE SCHEMA app; ALTER TABLE plants SET SCHEMA app; ALTER TABLE plant_store_migration SET SCHEMA app;
     CREATE FUNCTION lead() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
       PERFORM set_config('search_path', 'app', false); END $$;
     CREATE EVENT TRIGGER lead ON login EXECUTE FUNCTION lead()`,
  );
  const fault = 'app.plants is in the search path of this session alone';
  await expect(openStore({ connectionString: url })).rejects.toThrow(fault);
  await expect(migratePostgres({ connectionString: url })).rejects.toThrow(fault);
  await expect(postgresMigrationStatus({ connectionString: url })).rejects.toThrow(fault);
});

test.each([
  [`ALTER DATABASE db SET quote_all_identifiers = on`],
  [`${TABLE} ALTER name TYPE varchar`],
  [`CREATE RULE no AS ON INSERT TO plants DO INSTEAD NOTHING; ${TABLE} DISABLE RULE no`],
  [
    `CREATE SCHEMA later; CREATE VIEW later.plants AS SELECT 1 AS id; ALTER DATABASE db SET search_path = public, later`,
  ],
])('%s: no fault', async (change) => {
  const url = await migratedDatabase();
  await runSql(url, change.replace(' db ', ` ${new URL(url).pathname.slice(1)} `));
  await migratePostgres({ connectionString: url });
  const { store } = await openStore({ connectionString: url });
  await store.check();
  expect(await store.plants.add(moss)).toEqual({ outcome: 'added' });
});

test('a search path that changes while the service runs does not matter', async () => {
  const { store, url } = await openStore();
  await store.plants.add(fern);
  const name = new URL(url).pathname.slice(1);
  await runSql(
    url,
    `CREATE SCHEMA other; ALTER DATABASE ${name} SET search_path = other;
     SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`,
  );
  await expect.poll(() => store.plants.add(fern).catch(String)).toMatchObject({ outcome: 'exists' });
  await store.check();
});

test('a table that was dropped and restored is used again', async () => {
  const { store, url } = await openStore();
  await store.plants.add(fern);
  await runSql(url, 'CREATE TABLE backup AS SELECT * FROM plants; DROP TABLE plants');
  await expect(store.check()).rejects.toThrow('the table plants was dropped: restore it');
  await runSql(
    url,
    'CREATE TABLE plants (id bigint PRIMARY KEY, name text NOT NULL, tag text); INSERT INTO plants TABLE backup',
  );
  await expect.poll(() => store.check().catch(String)).toBeUndefined();
  expect(await store.plants.add(fern)).toMatchObject({ outcome: 'exists' });
});

test('a column that no trigger fills is nobody’s fault but the table’s, whatever triggers there are', async () => {
  const { store, url } = await openStore();
  await runSql(
    url,
    `${TABLE} ADD owner text NOT NULL, ADD CHECK (name <> 'refused');
     CREATE FUNCTION pass() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
     CREATE TRIGGER pass BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION pass()`,
  );
  const results = await Promise.allSettled([fern, moss].map((plant) => store.plants.add(plant)));
  for (const { reason } of results as PromiseRejectedResult[]) expect(reason).toBeInstanceOf(StoreMisconfigured);
});

test('a policy that is dropped while the service runs is found when rows are hidden, and no lock is blamed', async () => {
  const owner = await migratedDatabase();
  await runSql(owner, `${TABLE} ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON plants USING (true)`);
  const { store } = await openStore({ connectionString: await withRole(owner, 'SELECT, INSERT, UPDATE') });
  await store.plants.add(fern);
  await runSql(
    owner,
    `DROP POLICY p ON plants; CREATE POLICY r ON plants FOR SELECT USING (true);
     CREATE POLICY a ON plants FOR INSERT WITH CHECK (true)`,
  );
  await expect(store.plants.add(fern)).rejects.toThrow('no policy lets the user UPDATE');
});

test('what others have set in a session does not matter, as behind a pooler', async () => {
  const owner = await migratedDatabase();
  await runSql(
    owner,
    `CREATE SCHEMA other; CREATE TABLE other.plants (LIKE plants INCLUDING ALL);
     CREATE TABLE seen (settings text);
     CREATE FUNCTION leak() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       INSERT INTO public.seen VALUES (concat_ws(' ', current_setting('synchronous_commit'), current_setting('client_min_messages')));
       PERFORM set_config('synchronous_commit', 'off', false), set_config('client_min_messages', 'error', false),
         set_config('search_path', 'other', false), set_config('array_nulls', 'off', false);
       RETURN NEW; END $$;
     CREATE TRIGGER leak BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION leak();
     ALTER TABLE plants ADD CHECK (name <> 'refused');
     ALTER DATABASE ${new URL(owner).pathname.slice(1)} SET synchronous_commit = 'remote_apply'`,
  );
  const { store } = await openStore({ connectionString: owner, poolSize: 1 });
  for (let id = 1n; id <= 3n; id += 1n) {
    await store.plants.add({ id, name: 'Fern' });
    await Promise.allSettled(
      ['refused', 'Moss'].map((name, at) => store.plants.add({ id: 10n * id + BigInt(at), name })),
    );
    await store.check();
  }
  expect(await store.plants.add(fern)).toEqual({ outcome: 'exists', plant: { name: 'Fern' } });
  expect(await runSql(owner, 'SELECT DISTINCT settings FROM seen')).toEqual([{ settings: 'remote_apply warning' }]);
  expect(await runSql(owner, 'SELECT count(tag)::int AS tags, count(*)::int AS plants FROM public.plants')).toEqual([
    { tags: 0, plants: 6 },
  ]);
  expect(await runSql(owner, 'SELECT FROM other.plants')).toEqual([]);
});

test('nor does it matter in a session that is new to us', async () => {
  const url = await freshDatabase();
  await runSql(
    url,
    `CREATE SCHEMA other; CREATE TABLE other.plants (of_another_application int);
     CREATE FUNCTION leak() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
       PERFORM set_config('search_path', 'other', false); END $$;
     CREATE EVENT TRIGGER leak ON login EXECUTE FUNCTION leak()`,
  );
  await migratePostgres({ connectionString: url });
  const { store } = await openStore({ connectionString: url });
  await store.plants.add(fern);
  expect(await runSql(url, 'SELECT id FROM public.plants')).toEqual([{ id: '1' }]);
  for await (const plant of postgresExport({ connectionString: url }).readAll()) expect(plant).toEqual(fern);
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

test('who has locked the table or a row is named', async () => {
  const { store, url } = await openStore({ timeoutMs: 1_600 });
  await store.plants.add(fern);
  const holder = /: pid \d+, role ".+", application ".*", since ".+" has locked the table plants, or rows of it/;
  const table = await hold(url, 'LOCK TABLE plants');
  await expect(store.plants.add(moss)).rejects.toThrow(holder);
  await table.letGo();
  await hold(url, 'SELECT FROM plants WHERE id = 1 FOR UPDATE');
  await expect
    .poll(() => store.plants.add(fern).catch(String), { timeout: 20_000 })
    .toMatch(/pid \d+, .* has locked the row of plant 1: end/);
});
