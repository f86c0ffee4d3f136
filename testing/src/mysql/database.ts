import { createConnection } from 'mysql2/promise';
import { inject, test } from 'vitest';
import { newDatabase, type ProvidedServer } from '../shared-server.ts';
import { isInstalled } from './programs.ts';

/**
 * Runs one statement on a connection of its own, and resolves with its rows. Every int64 is a string.
 *
 * @throws {Error} mysql2's error.
 */
export async function runSql(
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Record<string, unknown>[]> {
  const int64AsString = { supportBigNumbers: true, bigNumberStrings: true };
  const connection = await createConnection({ uri: url, connectTimeout: 10_000, ...int64AsString });
  try {
    const [rows] = await connection.query(sql, [...values]);
    return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : [];
  } finally {
    await connection.end();
  }
}

/**
 * Creates an empty database and resolves with its URL. It is dropped at the end of the run. Its default character set is latin1, so
 * the adapter has to set its own.
 *
 * @param serverUrl the URL of a server, such as a dedicated one. By default the run's shared server.
 */
export async function freshDatabase(serverUrl?: string): Promise<string> {
  return newDatabase('mysql', serverUrl, (url, name) => runSql(url, `create database ${name} character set latin1`));
}

/**
 * Defines tests that need MariaDB or MySQL. If the run has neither, it skips one test, whose name says what to install.
 *
 * @param dedicated whether the tests start their own servers, which requires an installed MariaDB.
 */
export async function onServer(define: () => void | Promise<void>, { dedicated = false } = {}): Promise<void> {
  const server: ProvidedServer = inject('server of mysql');
  if ('missing' in server) skipped(server.missing);
  else if (dedicated && !isInstalled()) skipped('on a MariaDB that can be killed: install mariadb-server');
  else await define();
}

function skipped(reason: string): void {
  test(reason, ({ skip }) => skip(reason));
}
