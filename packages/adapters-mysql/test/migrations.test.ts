import { migrateMysql, mysqlMigrationStatus } from '@plant-store/adapters-mysql';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { migrationContract } from '@plant-store/contracts-stores';
import { StoreUnavailable } from '@plant-store/domain';
import { freshDatabase, onServer, runSql } from '@plant-store/testing/mysql';
import { createConnection } from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';
import { userWith } from './open-store.ts';

const at = (connectionString: string) => ({
  migrate: () => migrateMysql({ connectionString }),
  status: () => mysqlMigrationStatus({ connectionString }),
});

await onServer(() => {
  describeContract(migrationContract, {
    async prepare() {
      const url = await freshDatabase();
      const tables = async () => (await runSql(url, 'show tables')).map((row) => String(Object.values(row)[0]));
      return { ...at(url), tables, run: (statement) => runSql(url, statement) };
    },
    unreachable: at('mysql://127.0.0.1:1/plants'),
  });

  test('a migration that a crash interrupted is completed', async () => {
    const connectionString = await freshDatabase();
    const all = await migrateMysql({ connectionString });
    await runSql(connectionString, 'delete from plant_store_migration');
    expect(await migrateMysql({ connectionString })).toEqual(all);
  });

  test('a migration that fails is reported, rather than what fails after it', async () => {
    const { href: connectionString } = await userWith(await freshDatabase(), { plant_store_migration: 'create' });
    // The user may not read what is applied either.
    await expect(migrateMysql({ connectionString })).rejects.toThrow(/CREATE command denied/);
  });

  test('if another session holds the migration lock, the error names it within the timeout', async () => {
    const connectionString = await freshDatabase();
    const lock = "sha2(concat('plant-store migrations ', database()), 224)";
    const holder = await createConnection(connectionString);
    onTestFinished(() => holder.end());
    await holder.query(`select get_lock(${lock}, 0)`);
    await expect(migrateMysql({ connectionString, migrationLockTimeoutMs: 60 })).rejects.toThrow(
      new StoreUnavailable(
        `the migration lock was not free within 60 ms: held by connection ${holder.threadId}, user "${new URL(connectionString).username}". If that session is migrating, wait; otherwise end it with KILL`,
      ),
    );
  });
});
