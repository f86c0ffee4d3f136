import { storeHarness } from '@plant-store/adapters-mysql/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { clausesThatNeed, clausesWithOutages, storeContracts } from '@plant-store/contracts-stores';
import { freshDatabase, onServer, runSql } from '@plant-store/testing/mysql';
import { expect, test } from 'vitest';

await onServer(async () => {
  const given = await freshDatabase();
  // Other tests have scratch databases, too, but none with this collation, which they have from the given one.
  await runSql(given, 'alter database collate latin1_german1_ci');
  const shared = storeHarness(given);

  describeContract(storeContracts, shared, {
    // The shared server cannot be killed.
    elsewhere: { file: 'contract-on-own-servers.test.ts', clauses: clausesThatNeed('survivesServerCrash', shared) },
    // They wait for time-outs, each on a database of its own.
    concurrent: clausesWithOutages(shared),
  });

  test('the contract leaves nothing of its scratch places, nor in the given database', async () => {
    const alike = `select schema_name from information_schema.schemata where default_collation_name = 'latin1_german1_ci'`;
    expect(await runSql(given, alike)).toHaveLength(1);
    expect(await runSql(given, 'show tables')).toEqual([]);
  });
});
