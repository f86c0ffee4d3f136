import { type MysqlOptions, mysqlStorage } from '@plant-store/adapters-mysql';
import type { PlantStore } from '@plant-store/domain';
import { freshDatabase, runSql } from '@plant-store/testing/mysql';
import { createConnection } from 'mysql2/promise';
import { onTestFinished } from 'vitest';

/** Opens a store on an empty database until the test ends. Its timeouts allow for a busy machine. */
export async function openStore(
  options: Partial<MysqlOptions> = {},
): Promise<{ readonly store: PlantStore; readonly url: string }> {
  const url = options.connectionString ?? (await migratedDatabase());
  const patience = { timeoutMs: 20_000, connectWithinMs: 10_000, maxWaitMs: 60_000 };
  const store = await mysqlStorage({ ...patience, ...options, connectionString: url }).open();
  onTestFinished(() => store.close());
  return { store, url };
}

/** Creates a migrated database without plants, and resolves with its URL. */
export async function migratedDatabase(serverUrl?: string): Promise<string> {
  const connectionString = await freshDatabase(serverUrl);
  await mysqlStorage({ connectionString }).migrate();
  return connectionString;
}

/** Creates a user with privileges by table until the test ends, and resolves with its URL. */
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

/** The privileges that the service needs on a migrated database, as in docs/operations.md. */
export const servicePrivileges = {
  plants: 'select, insert',
  plant_store_sync: 'select, insert, update',
  plant_store_migration: 'select',
};

/** Runs a statement in a transaction that stays open until the test ends. */
export async function openTransaction(
  url: string,
  statement: string,
): Promise<{ readonly id: number; end(): Promise<void> }> {
  const connection = await createConnection(url);
  let ended: Promise<void> | undefined;
  const end = () => (ended ??= connection.end());
  onTestFinished(end);
  await connection.query('set session transaction isolation level repeatable read');
  await connection.query('begin');
  await connection.query(statement);
  return { id: connection.threadId, end };
}
