import { freshDatabase, onServer, ownServer, runSql } from '@plant-store/testing-mysql';
import { expect, test } from 'vitest';
import { importsAndExports } from '../imports-and-exports.ts';
import { migrates } from '../migrates.ts';
import { startInProcess } from '../run-in-process.ts';
import { patiently } from '../started-outage.ts';
import { startsBeforeItsDatabase } from '../starts-before-its-database.ts';

await onServer(() => {
  importsAndExports('mysql', () => freshDatabase());
  migrates('mysql', freshDatabase);

  test('plant-store verify-store works in its own databases and leaves nothing behind', async () => {
    const url = await freshDatabase();
    await runSql(url, 'create table plants (id int)');
    await runSql(url, 'alter database collate latin1_german1_ci');
    const run = startInProcess(['verify-store', '--only', 'PR-3,PR-16,PR-23,PLACE'], { DATABASE_URL: url });
    // The adapter's tests have such databases, too, while they run.
    const scratch = () =>
      runSql(
        url,
        'select default_collation_name as collation from information_schema.schemata where schema_name like ?',
        ['plant\\_store\\_verify\\_%'],
      );
    await expect.poll(scratch, patiently).toContainEqual({ collation: 'latin1_german1_ci' });
    expect(await run.ended).toBe(1);
    expect(run.output()).toMatch(
      /✗ PLACE .*plants cannot keep plants: .*3 passed, 0 not promised, 0 not checked, 1 failed/s,
    );
    await expect.poll(scratch, { timeout: 60_000 }).toEqual([]);
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
