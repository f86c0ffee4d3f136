import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migratePostgres, postgresMigrationStatus } from '@plant-store/adapters-postgres';
import { optionalTextFields, StoreUnavailable, textFields } from '@plant-store/domain';
import type { Tables } from '@plant-store/sql-store';
import { freshDatabase, runSql } from '@plant-store/testing-postgres';
import {
  type DatabaseConnection,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { lockMigrations } from '../src/migration-lock.ts';

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

test('a schema of a database that has been migrated in another schema is empty', async () => {
  const migrated = await freshDatabase();
  await migratePostgres({ connectionString: migrated });
  await runSql(migrated, 'CREATE SCHEMA garden');
  const url = new URL(migrated);
  url.searchParams.set('options', '-c search_path=garden');
  expect(await postgresMigrationStatus({ connectionString: url.href })).toEqual(none);
  expect(await migratePostgres({ connectionString: url.href })).toEqual(all);
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

test.each(['read committed', 'serializable'])(
  'instances that migrate one empty database at once all succeed where the default is %s',
  async (isolation) => {
    const connectionString = await freshDatabase();
    const name = new URL(connectionString).pathname.slice(1);
    await runSql(connectionString, `ALTER DATABASE "${name}" SET default_transaction_isolation = '${isolation}'`);
    const instances = Array.from({ length: 5 }, () => migratePostgres({ connectionString }));
    expect(await Promise.all(instances)).toEqual(Array(5).fill(all));
    expect(await runSql(connectionString, 'SELECT name FROM plant_store_migration')).toHaveLength(names.length);
  },
);

test('the migration lock in the hands of another role: an error within the time-out says whose, in plain ASCII', async () => {
  const connectionString = await freshDatabase();
  const { pid, role } = await holdMigrationLock(connectionString);
  const migrating = migratePostgres({ connectionString, migrationLockTimeoutMs: 60 });
  await expect(migrating).rejects.toThrow(
    new StoreUnavailable(
      `the migration lock was not free within 60 ms: held by pid ${pid}, role "${role}\\u009b\\u202e\\n", application "a\\\\b". Wait for it if it is migrating, otherwise end it with pg_terminate_backend`,
    ),
  );
  expect(await tables(connectionString)).toEqual([]);
});

test('waiting for the migration lock is reported once, and ends when it is free', async () => {
  const connectionString = await freshDatabase();
  const { pid, release } = await holdMigrationLock(connectionString);
  const onWarning = vi.fn<(message: string) => void>();
  const migrating = migratePostgres({ connectionString, onWarning });
  await vi.waitFor(() => expect(onWarning).toHaveBeenCalled(), 10_000);
  expect(onWarning.mock.calls).toEqual([
    [expect.stringMatching(`^waiting for the migration lock, up to 30000 ms: held by pid ${pid}, role `)],
  ]);
  // For longer than until the lock is tried again.
  await sleep(200);
  await release();
  expect(await migrating).toEqual(all);
  expect(onWarning).toHaveBeenCalledTimes(1);
});

test('a migration lock whose holder has just gone', async () => {
  await expect(lockWithoutHolder()).rejects.toThrow(
    'the migration lock was not free within 10 ms: its holder is unknown. Wait',
  );
});

/** Takes the lock of a server on which it is taken, and nobody seems to hold it. */
async function lockWithoutHolder(): Promise<void> {
  const connection: DatabaseConnection = { executeQuery: async () => ({ rows: [] }), async *streamQuery() {} };
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => Object.assign(new DummyDriver(), { acquireConnection: async () => connection }),
      createIntrospector: (kysely) => new PostgresIntrospector(kysely),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const options = { migrationLockTimeoutMs: 10, onWarning: () => {} };
  await db.transaction().execute((transaction) => lockMigrations(transaction, options));
}

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

/** Holds the lock as a role that may connect and nothing else, until the test is over. */
async function holdMigrationLock(
  url: string,
): Promise<{ readonly pid: number; readonly role: string; release(): Promise<void> }> {
  const role = `stranger_${Math.random().toString(36).slice(2)}`;
  const username = `${role}\u009b\u202e\n`;
  await runSql(url, `CREATE ROLE "${username}" LOGIN PASSWORD '${role}'`);
  const client = new pg.Client({
    connectionString: Object.assign(new URL(url), { username, password: role }).href,
    application_name: 'a\\b',
  });
  await client.connect();
  let ended: Promise<void> | undefined;
  const release = () => (ended ??= client.end());
  onTestFinished(release);
  const { rows } = await client.query('SELECT pg_advisory_lock(7310868735423014481), pg_backend_pid() AS pid');
  return { pid: rows[0].pid, role, release };
}
