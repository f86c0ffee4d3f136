import { storeHarness } from '@plant-store/adapters-mysql/harness';
import { freshDatabase, onServer, runSql } from '@plant-store/testing/mysql';
import { expect, test } from 'vitest';

await onServer(() => {
  test('a scratch place is a database like the given one, and nothing is left of it', async () => {
    const url = await freshDatabase();
    // Other tests have scratch databases, too, but none with this collation.
    await runSql(url, 'alter database collate latin1_german1_ci');
    const withIt = `select schema_name from information_schema.schemata where default_collation_name = 'latin1_german1_ci'`;
    const place = await storeHarness(url).prepare();
    expect(await runSql(url, withIt)).toHaveLength(2);
    await place.dispose();
    expect(await runSql(url, withIt)).toHaveLength(1);
    expect(await runSql(url, 'show tables')).toEqual([]);
  });
});
