import { migrateMysql, mysqlMigrationStatus } from '@plant-store/adapters-mysql';
import { optionalTextFields, StoreUnavailable, textFields } from '@plant-store/domain';
import type { Tables } from '@plant-store/sql-store';
import { freshDatabase, onServer, runSql } from '@plant-store/testing-mysql';
import {
  type CompiledQuery,
  type DatabaseConnection,
  DummyDriver,
  Kysely,
  MysqlAdapter,
  MysqlIntrospector,
  MysqlQueryCompiler,
} from 'kysely';
import { createConnection } from 'mysql2/promise';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openConnections } from '../src/driver/connections.ts';
import { kyselyOn } from '../src/driver/kysely.ts';
import { underMigrationLock } from '../src/migration-lock.ts';
import { completeOptions } from '../src/options.ts';
import { userWith } from './open-store.ts';

const none = [{ name: '0001-create-plants', applied: false }];
const all = [{ name: '0001-create-plants', applied: true }];

test.each([migrateMysql, mysqlMigrationStatus])('%o throws StoreUnavailable if no server listens', async (call) => {
  await expect(call({ connectionString: 'mysql://127.0.0.1:1/plants' })).rejects.toThrow(StoreUnavailable);
});

test('a migration lock whose holder has just gone', async () => {
  await expect(lockHeldBy([])).rejects.toThrow(
    'the migration lock was not free within 10 ms: its holder is unknown. Wait',
  );
});

test('the name of who holds the migration lock is said in plain ASCII', async () => {
  await expect(lockHeldBy([{ id: 7, user: '\u202e\n"' }])).rejects.toThrow(
    'held by connection 7, user "\\u202e\\n\\"". Wait',
  );
});

/** Takes the lock of a server on which it is taken. */
async function lockHeldBy(holders: readonly { readonly id: number; readonly user: string }[]): Promise<void> {
  const connection: DatabaseConnection = {
    executeQuery: async <Row>({ sql }: CompiledQuery) => ({
      rows: (sql.includes('get_lock') ? [{ taken: 0 }] : holders) as Row[],
    }),
    async *streamQuery() {},
  };
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new MysqlAdapter(),
      createDriver: () => Object.assign(new DummyDriver(), { acquireConnection: async () => connection }),
      createIntrospector: (kysely) => new MysqlIntrospector(kysely),
      createQueryCompiler: () => new MysqlQueryCompiler(),
    },
  });
  await underMigrationLock(db, { migrationLockTimeoutMs: 10, onWarning: () => {} }, async () => {});
}

await onServer(() => {
  test('five at once migrate once; the columns are those that keep every plant, whatever the database has by default', async () => {
    const connectionString = await freshDatabase();
    expect(await mysqlMigrationStatus({ connectionString })).toEqual(none);
    expect(await runSql(connectionString, 'show tables')).toEqual([]);
    const instances = Array.from({ length: 5 }, () => migrateMysql({ connectionString }));
    expect(await Promise.all(instances)).toEqual(Array(5).fill(all));
    expect(await runSql(connectionString, 'select name from plant_store_migration')).toHaveLength(1);
    const columns = await runSql(
      connectionString,
      `select concat_ws(' ', column_name, data_type, collation_name, is_nullable) as text from information_schema.columns
       where table_schema = database() and table_name = 'plants' order by ordinal_position`,
    );
    expect(columns.map(({ text }) => text)).toEqual([
      'id bigint NO',
      ...textFields.map((name) => `${name} longtext utf8mb4_bin ${optionalTextFields.includes(name) ? 'YES' : 'NO'}`),
    ]);
    await runSql(connectionString, "insert into plant_store_migration values ('9999-of-the-future', '2099-01-01')");
    expect(await migrateMysql({ connectionString })).toEqual(all);
  });

  test('what a crash has left is completed; a table of another application is not taken for ours', async () => {
    const connectionString = await freshDatabase();
    await migrateMysql({ connectionString });
    await runSql(connectionString, 'delete from plant_store_migration');
    expect(await migrateMysql({ connectionString })).toEqual(all);

    const other = await freshDatabase();
    await runSql(other, 'create table plants (of_another_application text)');
    await expect(migrateMysql({ connectionString: other })).rejects.toThrow("Table 'plants' already exists");
    expect(await mysqlMigrationStatus({ connectionString: other })).toEqual(none);
  });

  test('the migration lock in other hands is reported with its holder, and waited for until the time-out', async () => {
    const connectionString = await freshDatabase();
    const holder = await createConnection(connectionString);
    onTestFinished(() => holder.end());
    await holder.query("select get_lock(sha2(concat('plant-store migrations ', database()), 224), 0)");
    const held = `held by connection ${holder.threadId}, user "${new URL(connectionString).username}"`;
    const onWarning = vi.fn<(message: string) => void>();
    const migrating = migrateMysql({ connectionString, onWarning, migrationLockTimeoutMs: 60 });
    await expect(migrating).rejects.toThrow(
      new StoreUnavailable(
        `the migration lock was not free within 60 ms: ${held}. Wait for it if it is migrating, otherwise end it with KILL`,
      ),
    );
    expect(await mysqlMigrationStatus({ connectionString })).toEqual(none);

    const waiting = migrateMysql({ connectionString, onWarning });
    await vi.waitFor(() => expect(onWarning).toHaveBeenCalled(), 10_000);
    await holder.query("select release_lock(sha2(concat('plant-store migrations ', database()), 224))");
    expect(await waiting).toEqual(all);
    expect(onWarning.mock.calls).toEqual([[`waiting for the migration lock, up to 30000 ms: ${held}`]]);
  });

  test('the migration lock is free as soon as it is released, while its connection is still open', async () => {
    const connectionString = await freshDatabase();
    const options = completeOptions({ connectionString, poolSize: 1 });
    const db = kyselyOn(openConnections(options));
    onTestFinished(() => db.destroy());
    const lock = "sha2(concat('plant-store migrations ', database()), 224)";
    // As text: MariaDB's number has 32 bits, MySQL's 64.
    const isFree = () => runSql(connectionString, `select concat(is_free_lock(${lock})) as free`);
    await underMigrationLock(db, options, async () => expect(await isFree()).toEqual([{ free: '0' }]));
    expect(await isFree()).toEqual([{ free: '1' }]);
  });

  test('of another user’s session that has the migration lock only the number may be known', async () => {
    const connectionString = await freshDatabase();
    const holder = await createConnection(connectionString);
    onTestFinished(() => holder.end());
    await holder.query("select get_lock(sha2(concat('plant-store migrations ', database()), 224), 0)");
    const { href } = await userWith(connectionString, { '*': 'all' });
    await expect(migrateMysql({ connectionString: href, migrationLockTimeoutMs: 60 })).rejects.toThrow(
      `held by connection ${holder.threadId}. Wait`,
    );
  });
});
