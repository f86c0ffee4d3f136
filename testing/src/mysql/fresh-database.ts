import { inject, test } from 'vitest';
import { newDatabase, type ProvidedServer } from '../shared-server.ts';
import { isInstalled } from './programs.ts';
import { runSql } from './run-sql.ts';

/**
 * Creates an empty database and resolves with its URL. It is dropped at the end of the run. Its default character set is
 * one that cannot hold every text: the adapter has to name its own.
 *
 * @param serverUrl another server than the one that the run shares, such as a dedicated one's `url`.
 */
export async function freshDatabase(serverUrl?: string): Promise<string> {
  return newDatabase('mysql', serverUrl, (url, name) => runSql(url, `create database ${name} character set latin1`));
}

/**
 * Defines tests that need MariaDB or MySQL. Where the run has neither, one is skipped instead, which says how to have it.
 *
 * @param dedicated whether they start servers of their own, for which only an installed one will do.
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
