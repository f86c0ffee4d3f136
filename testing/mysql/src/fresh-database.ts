import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import type { ProvidedMysql } from './provided.ts';
import { runSql } from './run-sql.ts';

/**
 * Creates an empty database and resolves with its URL. It is dropped at the end of the run. Its default character set is
 * one that cannot hold every text: the adapter has to name its own.
 *
 * @param serverUrl another server than the one that the run shares, such as a dedicated one's `url`.
 */
export async function freshDatabase(serverUrl?: string): Promise<string> {
  const { url, databasePrefix } = serverUrl ? { url: serverUrl, databasePrefix: 'plant_store_test_' } : provided();
  const name = databasePrefix + randomBytes(6).toString('hex');
  await runSql(url, `create database ${name} character set latin1`);
  return Object.assign(new URL(url), { pathname: name }).href;
}

/** Empties a migrated database while a store is open on it. */
export async function deletePlants(url: string): Promise<void> {
  await runSql(url, 'delete from plants');
}

function provided(): Extract<ProvidedMysql, { url: string }> {
  const mysql: ProvidedMysql | undefined = inject('mysql');
  if (mysql && 'url' in mysql) return mysql;
  throw new Error(
    "no server for this run: list '@plant-store/testing-mysql/global-setup' under globalSetup of this project in vitest.config.ts, and define the test within onServer()",
  );
}
