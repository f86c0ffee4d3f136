import { storeHarness } from '@plant-store/adapters-mysql/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { clausesThatNeed, storeContracts } from '@plant-store/contracts-stores';
import { freshDatabase, onServer, runSql } from '@plant-store/testing/mysql';
import { expect, test } from 'vitest';

await onServer(async () => {
  const given = await freshDatabase();
  // Scratch databases get the collation of the given one. No other test uses this collation.
  await runSql(given, 'alter database collate latin1_german1_ci');
  const locked = storeHarness(given, { timeoutMs: 4_000 });
  const outage = clausesThatNeed('external', locked);
  const crash = clausesThatNeed('survivesServerCrash', locked);

  // On a busy machine an add may take seconds.
  describeContract(storeContracts, storeHarness(given, { timeoutMs: 10_000 }), {
    clauses: ({ id }) => id !== 'PR-20',
    // Other tests of the run share this server.
    elsewhere: { file: 'own-server.test.ts', clauses: (clause) => outage(clause) || crash(clause) },
  });
  // They wait for time-outs. Here an outage is a lock on the tables.
  describeContract(storeContracts, locked, {
    clauses: ({ id }) => ['PR-13', 'PR-20', 'PE-6'].includes(id),
    concurrent: true,
  });

  test('the contract drops its scratch databases, and leaves nothing in the given one', async () => {
    const alike = `select schema_name from information_schema.schemata where default_collation_name = 'latin1_german1_ci'`;
    expect(await runSql(given, alike)).toHaveLength(1);
    expect(await runSql(given, 'show tables')).toEqual([]);
  });
});
