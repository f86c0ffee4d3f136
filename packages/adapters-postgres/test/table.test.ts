import { StoreMisconfigured } from '@plant-store/domain';
import { completeOptions } from '@plant-store/store-kit';
import { runSql } from '@plant-store/testing/postgres';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openPool, postgresDatabase } from '../src/database.ts';
import { postgresStorage } from '../src/store.ts';
import { migratedDatabase, openStore, trigger } from './open-store.ts';

const fern = { id: 1n, name: 'Fern' };

const inParts = (first: string) => `DROP TABLE plants;
  CREATE TABLE plants (id bigint PRIMARY KEY, name text NOT NULL, tag text) PARTITION BY RANGE (id);
  CREATE ${first} TABLE low PARTITION OF plants FOR VALUES FROM (MINVALUE) TO (100);
  CREATE TABLE high PARTITION OF plants FOR VALUES FROM (100) TO (MAXVALUE)`;

test.each<[change: string, message?: string]>([
  [inParts('UNLOGGED'), 'the table low is not logged'],
  [inParts('')],
  ['ALTER TABLE plants ADD planter text; CREATE INDEX ON plants (name)'],
  [`CREATE TABLE seen (id bigint); ${trigger('INSERT INTO seen VALUES (NEW.id)').replace('BEFORE', 'AFTER')}`],
  [trigger(`RAISE WARNING 'of a trigger'`)],
  ['ALTER TABLE plants ADD CHECK (id > 0)'],
  ['ALTER TABLE plants ADD CHECK (id BETWEEN 1 AND 9)', 'it refuses every plant'],
  [`INSERT INTO plants VALUES (2, 'Moss'); ALTER TABLE plants ADD CHECK (id BETWEEN 1 AND 9)`],
])('after %s opening throws: %s', async (change, message) => {
  const url = await migratedDatabase();
  await runSql(url, change);
  const opening = openStore({ connectionString: url });
  if (message) await expect(opening).rejects.toThrow(message);
  else expect(await (await opening).store.plants.add(fern)).toEqual({ outcome: 'added' });
});

test('another table in place of plants is noticed while plants arrive, because it lacks the latest plant', async () => {
  const { store, url } = await openStore();
  await store.plants.add({ id: 2n ** 40n, name: 'Moss' });
  let id = 0n;
  const add = () => store.plants.add({ ...fern, id: id++ });
  await add();
  await runSql(url, 'ALTER TABLE plants RENAME TO former; CREATE TABLE plants (LIKE former INCLUDING ALL)');
  await expect.poll(() => add().catch(String), { timeout: 10_000 }).toMatch(/lacks the plant \d+, which it had before/);
  await runSql(url, 'DROP TABLE plants; ALTER TABLE former RENAME TO plants');
  await expect.poll(() => add().catch(String), { timeout: 10_000 }).toHaveProperty('outcome');
});

test('P3/F6 a stored plant gets the same result after the default of a column has begun to fail', async () => {
  const { store, url } = await openStore();
  await runSql(url, `CREATE SEQUENCE few MAXVALUE 3; ALTER TABLE plants ADD nth bigint DEFAULT nextval('few')`);
  await store.plants.add(fern);
  await runSql(url, `SELECT setval('few', 3)`);
  expect(await store.plants.add(fern)).toEqual({ outcome: 'exists', plant: { name: 'Fern' } });
});

test('a database whose encoding lacks characters is refused, and is not migrated', async () => {
  const url = await migratedDatabase();
  const name = `latin1_${Math.random().toString(36).slice(2)}`;
  await runSql(url, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`);
  onTestFinished(async () => void (await runSql(url, `DROP DATABASE ${name} WITH (FORCE)`)));
  const storage = postgresStorage({ connectionString: Object.assign(new URL(url), { pathname: name }).href });
  await storage.migrate();
  await expect(storage.open()).rejects.toThrow(StoreMisconfigured);
});

test('P1 commits never use synchronous_commit = off', async () => {
  const { store, url } = await openStore();
  await runSql(url, `CREATE TABLE seen (setting text); ${trigger(`INSERT INTO seen VALUES (${COMMIT})`)}`);
  await runSql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`);
  await openStore({ connectionString: url }).then(({ store: other }) => other.plants.add(fern));
  expect(await store.plants.add(fern)).toHaveProperty('outcome', 'exists');
  expect(await runSql(url, 'SELECT DISTINCT setting FROM seen')).toEqual([{ setting: 'on' }]);
});

const COMMIT = "current_setting('synchronous_commit')";

test('fsync = off is a warning, given once', async () => {
  const onWarning = vi.fn<(message: string) => void>();
  const options = completeOptions({ connectionString: await migratedDatabase(), onWarning });
  const { db, checkSettings } = postgresDatabase(openPool(options, 20_000), options);
  onTestFinished(() => db.destroy());
  const { rows } = await sql<{ fsync: string }>`SHOW fsync`.execute(db);
  for (let time = 0; time < 2; time += 1) await checkSettings();
  expect(onWarning.mock.calls).toHaveLength(rows[0]?.fsync === 'off' ? 1 : 0);
});
