import { storeHarness } from '@plant-store/adapters-postgres/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { storeContracts } from '@plant-store/contracts-stores';
import { ownServer } from '@plant-store/testing-postgres';
import { describe } from 'vitest';
import { aboutOutages } from './outages.ts';

const server = ownServer({ fsync: false });

describe('on a server that freezes:', () => {
  describeContract(
    storeContracts,
    () => storeHarness(server.url, { startOutage: () => server.pause().then(() => server.resume) }),
    {
      clauses: aboutOutages,
    },
  );
});
