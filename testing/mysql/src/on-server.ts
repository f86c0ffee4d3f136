import { inject, test } from 'vitest';
import { isInstalled } from './installed-server.ts';
import type { ProvidedMysql } from './provided.ts';

/**
 * Defines tests that need MariaDB or MySQL. Where the run has neither, one is skipped instead, which says how to have it.
 *
 * @param dedicated whether they start servers of their own, for which only an installed one will do.
 */
export async function onServer(define: () => void | Promise<void>, { dedicated = false } = {}): Promise<void> {
  const mysql: ProvidedMysql = inject('mysql');
  if ('missing' in mysql) skipped(mysql.missing);
  else if (dedicated && !isInstalled()) skipped('on a MariaDB that can be killed: install mariadb-server');
  else await define();
}

function skipped(reason: string): void {
  test(reason, ({ skip }) => skip(reason));
}
