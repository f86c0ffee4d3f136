import { inject, test } from 'vitest';
import { newDatabase, type ProvidedServer } from '../shared-server.ts';
import { isInstalled } from './programs.ts';
import { runSql } from './run-sql.ts';

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
