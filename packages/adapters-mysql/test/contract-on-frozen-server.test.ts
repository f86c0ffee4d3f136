import { storeHarness } from '@plant-store/adapters-mysql/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { storeContracts } from '@plant-store/contracts-stores';
import { onServer, ownServer } from '@plant-store/testing-mysql';
import { describe } from 'vitest';
import { aboutOutages } from './outages.ts';

await onServer(
  () => {
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
  },
  { dedicated: true },
);
