import { mysqlStorage } from '@plant-store/adapters-mysql';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { migrationContract } from '@plant-store/contracts-stores';
import { freshDatabase, onServer, runSql } from '@plant-store/testing/mysql';
import { createConnection } from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';

await onServer(() => {
  describeContract(migrationContract, {
    async prepare() {
      const url = await freshDatabase();
      const tables = async () => (await runSql(url, 'show tables')).map((row) => String(Object.values(row)[0]));
      return { ...mysqlStorage({ connectionString: url }), tables, run: (statement) => runSql(url, statement) };
    },
    unreachable: mysqlStorage({ connectionString: 'mysql://127.0.0.1:1/plants', timeoutMs: 200 }),
  });

  test('a migration that a crash interrupted is completed', async () => {
    const connectionString = await freshDatabase();
    const { migrate } = mysqlStorage({ connectionString });
    const all = await migrate();
    await runSql(connectionString, 'delete from plant_store_migration');
    expect(await migrate()).toEqual(all);
  });

  test('if another session holds the migration lock, the error says so within the timeout', async () => {
    const connectionString = await freshDatabase();
    const holder = await createConnection(connectionString);
    onTestFinished(() => holder.end());
    await holder.query("select get_lock(sha2(concat('plant-store migrations ', database()), 224), 0)");
    const migrating = mysqlStorage({ connectionString, migrationLockTimeoutMs: 60 }).migrate();
    await expect(migrating).rejects.toThrow(/^MySQL: another session is migrating: wait for it/);
  });
});
