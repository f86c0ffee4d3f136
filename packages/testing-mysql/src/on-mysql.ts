import { inject, test } from 'vitest';

/** Defines tests that need MariaDB or MySQL. Where the run has neither, one is skipped instead, which says how to have it. */
export async function onMysql(define: () => void | Promise<void>): Promise<void> {
  const mysql = inject('mysql');
  if ('missing' in mysql) test('on MariaDB or MySQL', ({ skip }) => skip(mysql.missing));
  else await define();
}
