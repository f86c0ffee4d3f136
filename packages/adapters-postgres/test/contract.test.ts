import { storeHarness } from '@plant-store/adapters-postgres/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { clausesWithOutages, storeContracts } from '@plant-store/contracts-stores';
import { freshDatabase } from '@plant-store/testing-postgres';
import { aboutCrashes } from './outages.ts';

const shared = storeHarness(await freshDatabase());

describeContract(storeContracts, shared, {
  // The server that the run shares cannot be killed.
  elsewhere: { file: 'contract-on-killed-server.test.ts', clauses: aboutCrashes },
  // They wait for time-outs, each on a database of its own.
  concurrent: clausesWithOutages(shared),
});
