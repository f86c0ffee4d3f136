import { migrateMysql, openMysql } from '@plant-store/adapters-mysql';
import { freshDatabase, onMysql, runSql } from '@plant-store/testing-mysql';
import { expect, test } from 'vitest';
import { describeHttpContract } from '../describe-http-contract.ts';
import { importsAndExports } from '../imports-and-exports.ts';
import { migrates } from '../migrates.ts';
import { expectAgreesWithMemory } from '../parity/agrees-with-memory.ts';
import { plantStore } from '../running-service.ts';

await onMysql(() => {
  describeHttpContract('mysql', freshDatabase);
  importsAndExports('mysql', () => freshDatabase());
  migrates('mysql', freshDatabase);

  test('MySQL gives the same results as memory for a sequence of adds, and stores the same plants', async () => {
    const connectionString = await freshDatabase();
    await migrateMysql({ connectionString });
    const store = await openMysql({ connectionString });
    try {
      await expectAgreesWithMemory('MySQL', async () => {
        await runSql(connectionString, 'delete from plants');
        return store;
      });
    } finally {
      await store.close();
    }
  });

  test('plant-store verify-store works in its own databases and leaves nothing behind', async () => {
    const url = await freshDatabase();
    await runSql(url, 'create table plants (id int)');
    const run = plantStore(['verify-store', '--only', 'PR-3,PR-16'], { DATABASE_URL: url });
    expect(await run.ended).toBe(0);
    expect(run.output()).toContain('2 passed, 0 not promised, 0 not checked, 0 failed');
    const left = 'select schema_name from information_schema.schemata where schema_name like ?';
    expect(await runSql(url, left, ['plant\\_store\\_verify\\_%'])).toEqual([]);
    expect(await runSql(url, 'show tables')).toHaveLength(1);
  });
});
