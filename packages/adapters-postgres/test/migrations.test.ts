import { migratePostgres, postgresMigrationStatus } from '@plant-store/adapters-postgres';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { migrationContract } from '@plant-store/contracts-stores';
import { optionalTextFields, StoreUnavailable, textFields } from '@plant-store/domain';
import { freshDatabase, runSql } from '@plant-store/testing-postgres';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';

const at = (connectionString: string) => ({
  migrate: () => migratePostgres({ connectionString }),
  status: () => postgresMigrationStatus({ connectionString }),
});

async function tables(url: string): Promise<readonly string[]> {
  const rows = await runSql(
    url,
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
  );
  return rows.map(({ name }) => String(name));
}

describe.each(['read committed', 'serializable'])('where the default is %s:', (isolation) => {
  describeContract(migrationContract, {
    async prepare() {
      const url = await freshDatabase();
      const name = new URL(url).pathname.slice(1);
      await runSql(url, `ALTER DATABASE "${name}" SET default_transaction_isolation = '${isolation}'`);
      return { ...at(url), tables: () => tables(url), run: (statement) => runSql(url, statement) };
    },
    unreachable: at('postgres://me@127.0.0.1:1/plants'),
  });
});

test('a schema of a database that has been migrated in another schema is empty', async () => {
  const migrated = await freshDatabase();
  await migratePostgres({ connectionString: migrated });
  await runSql(migrated, 'CREATE SCHEMA garden');
  const url = new URL(migrated);
  url.searchParams.set('options', '-c search_path=garden');
  const garden = at(url.href);
  expect(await garden.status()).toContainEqual(expect.objectContaining({ applied: false }));
  expect(await garden.migrate()).not.toContainEqual(expect.objectContaining({ applied: false }));
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

test('the migration lock in the hands of another role: an error within the time-out says whose, in plain ASCII', async () => {
  const connectionString = await freshDatabase();
  const role = `stranger_${Math.random().toString(36).slice(2)}`;
  const username = `${role}\u009b\u202e\n`;
  await runSql(connectionString, `CREATE ROLE "${username}" LOGIN PASSWORD '${role}'`);
  const { href } = Object.assign(new URL(connectionString), { username, password: role });
  const client = new pg.Client({ connectionString: href, application_name: 'a\\b' });
  await client.connect();
  onTestFinished(() => client.end());
  const { rows } = await client.query('SELECT pg_advisory_lock(7310868735423014481), pg_backend_pid() AS pid');
  await expect(migratePostgres({ connectionString, migrationLockTimeoutMs: 60 })).rejects.toThrow(
    new StoreUnavailable(
      `the migration lock was not free within 60 ms: held by pid ${rows[0].pid}, role "${role}\\u009b\\u202e\\n", application "a\\\\b". Wait for it if it is migrating, otherwise end it with pg_terminate_backend`,
    ),
  );
  expect(await tables(connectionString)).toEqual([]);
});

test('a table of another application is refused with how it differs, and nothing is left behind', async () => {
  const connectionString = await freshDatabase();
  await runSql(connectionString, 'CREATE TABLE plants (of_another_application text)');
  await expect(migratePostgres({ connectionString })).rejects.toThrow(
    /there is public.plants, which plant-store has not made .*; the column id is missing; .*; the column tag is missing\. Give/,
  );
  expect(await tables(connectionString)).toEqual(['plants']);
});
