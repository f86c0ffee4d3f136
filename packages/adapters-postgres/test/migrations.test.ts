import { postgresStorage } from '@plant-store/adapters-postgres';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { migrationContract } from '@plant-store/contracts-stores';
import { freshDatabase, openTransaction, runSql } from '@plant-store/testing/postgres';
import { expect, test } from 'vitest';
import { migratedDatabase, withRole } from './open-store.ts';

const at = (connectionString: string) => postgresStorage({ connectionString });

describeContract(migrationContract, {
  async prepare() {
    const url = await freshDatabase();
    const name = new URL(url).pathname.slice(1);
    // Concurrent migrations fail more easily than with the default, read committed.
    await runSql(url, `ALTER DATABASE "${name}" SET default_transaction_isolation = 'serializable'`);
    const tables = async () => {
      const rows = await runSql(url, `SELECT relname FROM pg_stat_user_tables WHERE schemaname = 'public'`);
      return rows.map(({ relname }) => String(relname));
    };
    return { ...at(url), tables, run: (statement) => runSql(url, statement) };
  },
  unreachable: postgresStorage({ connectionString: 'postgres://me@127.0.0.1:1/plants', timeoutMs: 200 }),
});

test('a second schema of a migrated database is migrated independently', async () => {
  const url = new URL(await migratedDatabase());
  await runSql(url.href, 'CREATE SCHEMA garden');
  url.searchParams.set('options', '-c search_path=garden');
  const garden = at(url.href);
  expect(await garden.status()).toContainEqual(expect.objectContaining({ applied: false }));
  expect(await garden.migrate()).not.toContainEqual(expect.objectContaining({ applied: false }));
});

test('a migration waits for another session that migrates, within the timeout', async () => {
  const connectionString = await freshDatabase();
  await openTransaction(connectionString, 'SELECT pg_advisory_xact_lock(7310868735423014481)');
  const migrating = postgresStorage({ connectionString, migrationLockTimeoutMs: 60 }).migrate();
  await expect(migrating).rejects.toThrow(/lock timeout \(55P03\)/);
});

test('P5 reading which migrations are missing has the timeout of the store', async () => {
  const connectionString = await migratedDatabase();
  await openTransaction(connectionString, 'LOCK TABLE plant_store_migration');
  const migrating = postgresStorage({ connectionString, timeoutMs: 200 }).migrate();
  await expect(migrating).rejects.toThrow(/it is frozen, or/);
});

test.each([
  ['to migrate', freshDatabase, (url: string) => at(url).migrate()],
  ['to read which migrations were applied', migratedDatabase, (url: string) => at(url).status()],
  ['to read plants', migratedDatabase, (url: string) => at(url).export().readAll()[Symbol.asyncIterator]().next()],
])('F11 a role without the privilege %s is misconfigured', async (_, createDatabase, work) => {
  const working = work(await withRole(await createDatabase()));
  await expect(working).rejects.toMatchObject({ name: 'StoreMisconfigured' });
  await expect(working).rejects.toThrow(/\(42501\); grant the user/);
});
