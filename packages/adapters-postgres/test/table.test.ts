import { migratePostgres, postgresMigrationStatus } from '@plant-store/adapters-postgres';
import { adoptedTableMessage } from '@plant-store/store-kit';
import { runSql } from '@plant-store/testing/postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type FoundTable, faultsOf, singleTable, tablesIn } from '../src/table.ts';
import { migratedDatabase, openStore, trigger, withRole } from './open-store.ts';

const fern = { id: 1n, name: 'Fern' };

const url = await migratedDatabase();

/** Finds the relations named plants after a change that is rolled back. */
const tablesAfter = async (change: string) =>
  (await runSql(url, `BEGIN; ${change}; ${tablesIn('public')}`)) as readonly unknown[] as readonly FoundTable[];

const RENAMED = 'ALTER TABLE plants RENAME TO old';
const inParts = (first: string) => `${RENAMED};
  CREATE TABLE plants (LIKE old INCLUDING ALL) PARTITION BY RANGE (id); DROP TABLE old;
  CREATE ${first} TABLE low PARTITION OF plants FOR VALUES FROM (MINVALUE) TO (100);
  CREATE TABLE high PARTITION OF plants FOR VALUES FROM (100) TO (MAXVALUE)`;
/** Row security does not apply to superusers. */
const POLICIES = `ALTER TABLE plants ENABLE ROW LEVEL SECURITY; GRANT ALL ON plants TO pg_monitor;
  CREATE POLICY reads ON plants FOR SELECT USING (true); CREATE POLICY adds ON plants FOR INSERT WITH CHECK (true);
  CREATE POLICY others ON plants FOR UPDATE TO pg_database_owner USING (true); SET LOCAL ROLE pg_monitor`;

test.each<[change: string, fault?: string]>([
  ['ALTER TABLE plants SET UNLOGGED', 'plants is unlogged, so a crash'],
  [inParts('UNLOGGED'), 'low is unlogged'],
  [inParts('')],
  ['ALTER TABLE plants ALTER name TYPE varchar(9)', 'name is of the type character varying(9), not'],
  ['ALTER TABLE plants ALTER name TYPE varchar'],
  ['ALTER TABLE plants ALTER name TYPE char(9)', 'name is of the type character(9), not text'],
  ['ALTER TABLE plants ALTER id TYPE numeric', 'id is of the type numeric, not bigint'],
  ['CREATE DOMAIN label AS text; ALTER TABLE plants ALTER name TYPE label', 'name is of the type label, not text'],
  ['ALTER TABLE plants ALTER tag SET NOT NULL', 'tag is NOT NULL, so plants'],
  ['ALTER TABLE plants ADD planter text NOT NULL', 'planter is NOT NULL and has no default'],
  [
    'CREATE DOMAIN must AS text NOT NULL; ALTER TABLE plants ADD planter must',
    'planter is NOT NULL and has no default',
  ],
  [`ALTER TABLE plants ADD planter text NOT NULL; ${trigger("NEW.planter := 'me'")}`],
  ['ALTER TABLE plants DROP tag', 'the column tag is missing'],
  ["ALTER TABLE plants DROP tag, ADD tag text GENERATED ALWAYS AS ('x') STORED", 'the column tag is generated'],
  ['ALTER TABLE plants ALTER id ADD GENERATED ALWAYS AS IDENTITY', 'id is generated'],
  ['ALTER TABLE plants DROP CONSTRAINT plants_pkey', 'its primary key is not id alone'],
  [
    'ALTER TABLE plants DROP CONSTRAINT plants_pkey, ADD PRIMARY KEY (id) DEFERRABLE',
    'its primary key is not id alone',
  ],
  ['CREATE RULE no AS ON INSERT TO plants DO INSTEAD NOTHING', 'it has the rule no'],
  ['CREATE RULE no AS ON INSERT TO plants DO INSTEAD NOTHING; ALTER TABLE plants DISABLE RULE no'],
  ['CREATE TABLE child () INHERITS (plants)', 'tables inherit from it'],
  [`${RENAMED}; CREATE VIEW plants AS SELECT * FROM old`, 'it is not a table'],
  [POLICIES, 'no policy allows the user to UPDATE'],
  [POLICIES.replace('pg_database_owner', 'public')],
])('%s: %s', async (change, fault) => {
  const faults = (await tablesAfter(change)).flatMap(faultsOf);
  expect(faults).toEqual(fault === undefined ? [] : [expect.stringContaining(fault)]);
});

test('an encoding that lacks characters is a fault, and such a database is not migrated', async () => {
  const [table] = (await tablesAfter('SELECT')) as [FoundTable];
  expect(faultsOf({ ...table, encoding: 'SQL_ASCII' })).toEqual([]);
  const name = `latin1_${Math.random().toString(36).slice(2)}`;
  await runSql(url, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`);
  onTestFinished(async () => void (await runSql(url, `DROP DATABASE ${name} WITH (FORCE)`)));
  const connectionString = Object.assign(new URL(url), { pathname: name }).href;
  const fault = /the encoding LATIN1, which lacks characters: create one with ENCODING 'UTF8'/;
  await expect(migratePostgres({ connectionString })).rejects.toThrow(fault);
});

const [both, sessionOnly] = [
  /has both first\.plants and second\.plants: keep/,
  /only in the search path of this session/,
];

test.each<[first: Partial<FoundTable>, second: Partial<FoundTable>, schema: string | RegExp]>([
  [{ isMigrated: true }, {}, 'first'],
  [{}, { isMigrated: true }, 'second'],
  [{ isMigrated: true }, { isMigrated: true }, both],
  [{}, {}, both],
  [{ columns: [] }, {}, 'second'],
  [{ columns: [] }, { columns: [] }, 'first'],
  [{ columns: [], isInPath: false }, { columns: [] }, 'second'],
  [{ isInPath: false }, { isMigrated: true }, 'second'],
  [{ isMigrated: true, isInPath: false }, {}, sessionOnly],
])('if the search path has %o and %o, the table of plants is: %s', async (first, second, schema) => {
  const [table] = (await tablesAfter('SELECT')) as [FoundTable];
  const fit = { ...table, isMigrated: false };
  const find = () =>
    singleTable([
      { ...fit, schema: 'first', ...first },
      { ...fit, schema: 'second', ...second },
    ]);
  if (schema instanceof RegExp) expect(find).toThrow(schema);
  else expect(find()).toHaveProperty('schema', schema);
});

test('a schema that comes first in the search path gets no second table from a migration, and no plants', async () => {
  const owner = await migratedDatabase();
  const connectionString = await withRole(owner, 'SELECT, INSERT, UPDATE');
  const role = new URL(connectionString).username;
  await runSql(owner, `GRANT SELECT ON plant_store_migration TO PUBLIC; CREATE SCHEMA ${role} AUTHORIZATION ${role}`);
  expect(await postgresMigrationStatus({ connectionString })).toEqual(await migratePostgres({ connectionString }));
  const { store } = await openStore({ connectionString });
  await store.plants.add(fern);
  const like = (table: string) =>
    `SET ROLE ${role}; CREATE TABLE ${role}.${table} (LIKE public.${table} INCLUDING ALL)`;
  await runSql(owner, like('plants'));
  for (const each of [store, (await openStore({ connectionString })).store]) {
    expect(await each.plants.add(fern)).toMatchObject({ outcome: 'exists' });
    await each.check();
  }
  await runSql(owner, `GRANT ALL ON plant_store_migration TO ${role}; ${like('plant_store_migration')}`);
  await expect(openStore({ connectionString })).rejects.toThrow('the search path has both');
  await expect(migratePostgres({ connectionString })).rejects.toThrow('the search path has both');
});

test('a database that was migrated in a schema outside the search path gets no second table', async () => {
  const owner = await migratedDatabase();
  await runSql(
    owner,
    `CREATE SCHEMA app; ALTER TABLE plants SET SCHEMA app; ALTER TABLE plant_store_migration SET SCHEMA app`,
  );
  const message = 'app.plants exists, and its schema is not in the search path';
  await expect(migratePostgres({ connectionString: owner })).rejects.toThrow(message);
});

test('a table that was dropped and restored is used again, and one that lacks its plants is not', async () => {
  const { store, url } = await openStore();
  await store.plants.add(fern);
  await runSql(url, `${RENAMED}; CREATE TABLE plants (LIKE old INCLUDING ALL)`);
  await expect(store.check()).rejects.toThrow('took the place of the table plants, and lacks plant 1');
  await runSql(url, 'DROP TABLE plants; CREATE TABLE backup AS SELECT * FROM old; DROP TABLE old');
  await expect(store.check()).rejects.toThrow('the table plants was dropped: restore it');
  await runSql(url, 'CREATE TABLE plants (LIKE backup, PRIMARY KEY (id)); INSERT INTO plants TABLE backup');
  await expect.poll(() => store.check().catch(String)).toBeUndefined();
  expect(await store.plants.add(fern)).toMatchObject({ outcome: 'exists' });
});

test('a table that Citus distributes is rejected', async () => {
  const { store, url } = await openStore();
  await runSql(url, trigger('NULL').replaceAll('act()', 'citus_truncate_trigger()'));
  await expect(store.check()).rejects.toThrow('Citus distributes it: use a URL that begins with citus://');
});

test('a migration adopts an existing table of plants with a warning, and keeps its plants', async () => {
  const url = await migratedDatabase();
  await runSql(url, "INSERT INTO plants VALUES (1, 'Fern'); DROP TABLE plant_store_migration");
  const onWarning = vi.fn<(message: string) => void>();
  const migrations = await migratePostgres({ connectionString: url, onWarning });
  expect(migrations.every(({ applied }) => applied)).toBe(true);
  expect(onWarning.mock.calls).toEqual([[adoptedTableMessage('public.plants')]]);
  const { store } = await openStore({ connectionString: url });
  expect(await store.plants.add(fern)).toMatchObject({ outcome: 'exists' });
});
