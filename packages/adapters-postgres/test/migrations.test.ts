import { migratePostgres, postgresMigrationStatus } from '@plant-store/adapters-postgres';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { migrationContract } from '@plant-store/contracts-stores';
import { StoreUnavailable } from '@plant-store/domain';
import { freshDatabase, runSql } from '@plant-store/testing/postgres';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { migratedDatabase } from './open-store.ts';

const at = (connectionString: string) => ({
  migrate: () => migratePostgres({ connectionString }),
  status: () => postgresMigrationStatus({ connectionString }),
});

describe.each(['read committed', 'serializable'])('where the default is %s:', (isolation) => {
  describeContract(migrationContract, {
    async prepare() {
      const url = await freshDatabase();
      const name = new URL(url).pathname.slice(1);
      await runSql(url, `ALTER DATABASE "${name}" SET default_transaction_isolation = '${isolation}'`);
      const tables = async () => {
        const rows = await runSql(url, `SELECT relname FROM pg_stat_user_tables WHERE schemaname = 'public'`);
        return rows.map(({ relname }) => String(relname));
      };
      return { ...at(url), tables, run: (statement) => runSql(url, statement) };
    },
    unreachable: at('postgres://me@127.0.0.1:1/plants'),
  });
});

test('a second schema of a migrated database is migrated independently', async () => {
  const url = new URL(await migratedDatabase());
  await runSql(url.href, 'CREATE SCHEMA garden');
  url.searchParams.set('options', '-c search_path=garden');
  const garden = at(url.href);
  expect(await garden.status()).toContainEqual(expect.objectContaining({ applied: false }));
  expect(await garden.migrate()).not.toContainEqual(expect.objectContaining({ applied: false }));
});

test('if another role holds the migration lock, the error names it in ASCII within the timeout', async () => {
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
      `the migration lock was not free within 60 ms: held by pid ${rows[0].pid}, role "${role}\\u009b\\u202e\\n", application "a\\\\b". If that session is migrating, wait; otherwise end it with pg_terminate_backend`,
    ),
  );
});
