import { storeHarness } from '@plant-store/adapters-postgres/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { clausesThatNeed, clausesWithOutages, storeContracts } from '@plant-store/contracts-stores';
import { freshDatabase, runSql } from '@plant-store/testing/postgres';
import { expect, test } from 'vitest';

// Beside an operator's plants.
const given = await freshDatabase();
await runSql(given, 'CREATE TABLE plants (id int); INSERT INTO plants VALUES (7)');
const shared = storeHarness(given);

describeContract(storeContracts, shared, {
  // The server that the run shares cannot be killed.
  elsewhere: { file: 'contract-on-own-servers.test.ts', clauses: clausesThatNeed('survivesServerCrash', shared) },
  // They wait for time-outs, each on a database of its own.
  concurrent: clausesWithOutages(shared),
});

test('the contract leaves nothing of its scratch places, and the plants beside them as they are', async () => {
  expect(await runSql(given, "SELECT FROM pg_namespace WHERE nspname LIKE 'plant_store_verify_%'")).toEqual([]);
  expect(await runSql(given, 'SELECT * FROM plants')).toEqual([{ id: 7 }]);
});
