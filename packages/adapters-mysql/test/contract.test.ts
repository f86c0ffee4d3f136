import { storeHarness } from '@plant-store/adapters-mysql/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { clausesThatNeed, clausesWithOutages, storeContracts } from '@plant-store/contracts-stores';
import { freshDatabase, onServer } from '@plant-store/testing/mysql';

await onServer(async () => {
  const shared = storeHarness(await freshDatabase());

  describeContract(storeContracts, shared, {
    // The shared server cannot be killed.
    elsewhere: { file: 'contract-on-own-servers.test.ts', clauses: clausesThatNeed('survivesServerCrash', shared) },
    // They wait for time-outs, each on a database of its own.
    concurrent: clausesWithOutages(shared),
  });
});
