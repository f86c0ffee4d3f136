import { type MysqlOptions, migrateMysql, openMysql } from '@plant-store/adapters-mysql';
import type { PlantStore } from '@plant-store/domain';
import { freshDatabase } from '@plant-store/testing-mysql';
import { createConnection } from 'mysql2/promise';
import { onTestFinished } from 'vitest';

/** A store on a database without plants, until the test is over. It is patient: the machine may be busy. */
export async function openStore(
  options: Partial<MysqlOptions> = {},
): Promise<{ readonly store: PlantStore; readonly url: string }> {
  const url = options.connectionString ?? (await migratedDatabase());
  const store = await openMysql({ timeoutMs: 20_000, connectWithinMs: 10_000, ...options, connectionString: url });
  onTestFinished(() => store.close());
  return { store, url };
}

/** The URL of a database that is migrated and has no plants. */
export async function migratedDatabase(serverUrl?: string): Promise<string> {
  const connectionString = await freshDatabase(serverUrl);
  await migrateMysql({ connectionString });
  return connectionString;
}

/** Begins a transaction with the statement and leaves it open until the test is over. */
export async function hold(url: string, statement: string): Promise<{ letGo(): Promise<void> }> {
  const connection = await createConnection(url);
  let ended: Promise<void> | undefined;
  const letGo = () => (ended ??= connection.end());
  onTestFinished(letGo);
  await connection.query('begin');
  await connection.query(statement);
  return { letGo };
}
