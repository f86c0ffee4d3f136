import { storeHarness } from '@plant-store/adapters-mysql/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { clausesWithOutages, storeContracts } from '@plant-store/contracts-stores';
import { freshDatabase, onServer } from '@plant-store/testing-mysql';
import { aboutCrashes } from './outages.ts';

await onServer(async () => {
  const shared = storeHarness(await freshDatabase());

  describeContract(storeContracts, shared, {
    // The shared server cannot be killed.
    elsewhere: { file: 'contract-on-killed-server.test.ts', clauses: aboutCrashes },
    // They wait for time-outs, each on a database of its own.
    concurrent: clausesWithOutages(shared),
  });
});
