import { storeHarness } from '@plant-store/adapters-postgres/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { clausesThatNeed, storeContracts } from '@plant-store/contracts-stores';
import { freshDatabase, runSql } from '@plant-store/testing/postgres';
import { expect, test } from 'vitest';

// The given database has an operator's plants.
const given = await freshDatabase();
await runSql(given, 'CREATE TABLE plants (id int); INSERT INTO plants VALUES (7)');
const locked = storeHarness(given, { timeoutMs: 4_000 });
const outage = clausesThatNeed('external', locked);
const crash = clausesThatNeed('survivesServerCrash', locked);

// On a busy machine an add may take seconds.
describeContract(storeContracts, storeHarness(given, { timeoutMs: 10_000 }), {
  clauses: ({ id }) => id !== 'PR-20',
  // Other tests of the run share this server.
  elsewhere: { file: 'own-server.test.ts', clauses: (clause) => outage(clause) || crash(clause) },
});
// They wait for time-outs. Here an outage is a lock on the table.
describeContract(storeContracts, locked, {
  clauses: ({ id }) => ['PR-13', 'PR-20', 'PE-6'].includes(id),
  concurrent: true,
});

test('the contract drops its scratch schemas, and does not change the plants beside them', async () => {
  expect(await runSql(given, "SELECT FROM pg_namespace WHERE nspname LIKE 'plant_store_verify_%'")).toEqual([]);
  expect(await runSql(given, 'SELECT * FROM plants')).toEqual([{ id: 7 }]);
});
