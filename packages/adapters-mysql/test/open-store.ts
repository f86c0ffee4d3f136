import { type MysqlOptions, migrateMysql, openMysql } from '@plant-store/adapters-mysql';
import type { PlantStore } from '@plant-store/domain';
import { freshDatabase, runSql } from '@plant-store/testing/mysql';
import { createConnection } from 'mysql2/promise';
import { onTestFinished } from 'vitest';

/** A store on a database without plants, until the test is over. It is patient: the machine may be busy. */
export async function openStore(
  options: Partial<MysqlOptions> = {},
): Promise<{ readonly store: PlantStore; readonly url: string }> {
  const url = options.connectionString ?? (await migratedDatabase());
  const store = await openMysql({
    timeoutMs: 20_000,
    connectWithinMs: 10_000,
    maxWaitMs: 60_000,
    ...options,
    connectionString: url,
  });
  onTestFinished(() => store.close());
  return { store, url };
}

/** The URL of a database that is migrated and has no plants. */
export async function migratedDatabase(serverUrl?: string): Promise<string> {
  const connectionString = await freshDatabase(serverUrl);
  await migrateMysql({ connectionString });
  return connectionString;
}

/** The URL for a new user who may do what is granted, each on a table of the database, until the test is over. */
export async function userWith(url: string, grants: Readonly<Record<string, string>>): Promise<URL> {
  const user = `u${Math.random().toString(36).slice(2)}`;
  const database = new URL(url).pathname.slice(1);
  await runSql(url, `create user ${user} identified by 's3cret'`);
  const server = Object.assign(new URL(url), { pathname: '' }).href;
  onTestFinished(async () => void (await runSql(server, `drop user ${user}`)));
  for (const [table, privileges] of Object.entries(grants))
    await runSql(url, `grant ${privileges} on ${database}.${table} to ${user}`);
  return Object.assign(new URL(url), { username: user, password: 's3cret' });
}

/** What the service has to be granted to run on a database that is migrated, as docs/operations.md says. */
export const toRun = {
  plants: 'select, insert',
  plant_store_sync: 'select, insert, update',
  plant_store_migration: 'select',
};

/** Begins a transaction with the statement and leaves it open until the test is over. */
export async function hold(url: string, statement: string): Promise<{ readonly id: number; letGo(): Promise<void> }> {
  const connection = await createConnection(url);
  let ended: Promise<void> | undefined;
  const letGo = () => (ended ??= connection.end());
  onTestFinished(letGo);
  await connection.query('set session transaction isolation level repeatable read');
  await connection.query('begin');
  await connection.query(statement);
  return { id: connection.threadId, letGo };
}
