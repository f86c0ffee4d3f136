import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { migratePostgres, postgresMigrationStatus } from '@plant-store/adapters-postgres';
import { optionalTextFields, StoreUnavailable, textFields } from '@plant-store/domain';
import { freshDatabase, runSql } from '@plant-store/testing-postgres';
import { expect, test } from 'vitest';

const names = readdirSync(join(import.meta.dirname, '../src/migrations')).map((file) => basename(file, '.ts'));
const none = names.map((name) => ({ name, applied: false }));
const all = names.map((name) => ({ name, applied: true }));

const tables = (url: string) =>
  runSql(url, `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1`);

test('the status of an empty database: nothing is applied, and nothing is created', async () => {
  const connectionString = await freshDatabase();
  expect(await postgresMigrationStatus({ connectionString })).toEqual(none);
  expect(await tables(connectionString)).toEqual([]);
});

test('migrating applies everything once; again, it changes nothing', async () => {
  const connectionString = await freshDatabase();
  expect(await migratePostgres({ connectionString })).toEqual(all);
  expect(await postgresMigrationStatus({ connectionString })).toEqual(all);
  expect(await migratePostgres({ connectionString })).toEqual(all);
});

test('the table has the columns that the store needs', async () => {
  const connectionString = await freshDatabase();
  await migratePostgres({ connectionString });
  const columns = await runSql(
    connectionString,
    `SELECT column_name, data_type, is_nullable FROM information_schema.columns WHERE table_name = 'plants' ORDER BY ordinal_position`,
  );
  expect(columns.map((column) => Object.values(column).join(' '))).toEqual([
    'id bigint NO',
    ...textFields.map((field) => `${field} text ${optionalTextFields.includes(field) ? 'YES' : 'NO'}`),
  ]);
});

test('instances that migrate one empty database at once all succeed', async () => {
  const connectionString = await freshDatabase();
  const instances = Array.from({ length: 5 }, () => migratePostgres({ connectionString }));
  expect(await Promise.all(instances)).toEqual(Array(5).fill(all));
  expect(await runSql(connectionString, 'SELECT name FROM plant_store_migration')).toHaveLength(names.length);
});

test('a migration that fails leaves nothing behind', async () => {
  const connectionString = await freshDatabase();
  await runSql(connectionString, 'CREATE TABLE plants (of_another_application text)');
  await expect(migratePostgres({ connectionString })).rejects.toThrow('relation "plants" already exists');
  expect(await tables(connectionString)).toEqual([{ name: 'plants' }]);
  expect(await postgresMigrationStatus({ connectionString })).toEqual(none);
});

test('a database that a newer version has migrated further is left unchanged', async () => {
  const connectionString = await freshDatabase();
  await migratePostgres({ connectionString });
  await runSql(connectionString, `INSERT INTO plant_store_migration VALUES ('9999-of-the-future', '2099-01-01')`);
  expect(await migratePostgres({ connectionString })).toEqual(all);
});

test.each([migratePostgres, postgresMigrationStatus])(
  '%o throws StoreUnavailable if no server listens',
  async (call) => {
    await expect(call({ connectionString: 'postgres://me@127.0.0.1:1/plants' })).rejects.toThrow(StoreUnavailable);
  },
);
