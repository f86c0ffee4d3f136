import { freshDatabase, onServer, ownServer, runSql } from '@plant-store/testing-mysql';
import { expect, test } from 'vitest';
import { importsAndExports } from '../imports-and-exports.ts';
import { migrates } from '../migrates.ts';
import { runToEnd } from '../run-in-process.ts';
import { startsBeforeItsDatabase } from '../starts-before-its-database.ts';

await onServer(() => {
  importsAndExports('mysql', () => freshDatabase());
  migrates('mysql', freshDatabase);

  test('plant-store verify-store works in its own databases and leaves nothing behind', async () => {
    const url = await freshDatabase();
    await runSql(url, 'create table plants (id int)');
    expect(await runToEnd(['verify-store', '--only', 'PR-3,PR-16'], { DATABASE_URL: url })).toEqual({
      code: 0,
      output: expect.stringContaining('2 passed, 0 not promised, 0 not checked, 0 failed'),
    });
    const left = 'select schema_name from information_schema.schemata where schema_name like ?';
    // The adapter's tests have such databases, too, while they run.
    await expect.poll(() => runSql(url, left, ['plant\\_store\\_verify\\_%']), { timeout: 60_000 }).toEqual([]);
    expect(await runSql(url, 'show tables')).toHaveLength(1);
  });
});

await onServer(
  () => {
    const server = ownServer({ fsync: false });
    startsBeforeItsDatabase(
      'MySQL',
      () => server,
      () => server.url.replace(/\/\/[^@]*@/, '//nobody:mellon@'),
    );
  },
  { dedicated: true },
);
