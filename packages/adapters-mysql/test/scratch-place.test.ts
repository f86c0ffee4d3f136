import { storeHarness } from '@plant-store/adapters-mysql/harness';
import { freshDatabase, onServer, runSql } from '@plant-store/testing-mysql';
import { expect, test } from 'vitest';

await onServer(() => {
  test('a scratch place is a database like the given one, and nothing is left of it', async () => {
    const url = await freshDatabase();
    await runSql(url, 'alter database collate latin1_german1_ci');
    // Other tests have such databases, too, but none with this collation.
    const scratch = () =>
      runSql(
        url,
        `select schema_name from information_schema.schemata
          where schema_name like ? and default_collation_name = 'latin1_german1_ci'`,
        ['plant\\_store\\_verify\\_%'],
      );
    const place = await storeHarness(url).prepare();
    expect(await scratch()).toHaveLength(1);
    await place.dispose();
    expect(await scratch()).toEqual([]);
    expect(await runSql(url, 'show tables')).toEqual([]);
  });
});
