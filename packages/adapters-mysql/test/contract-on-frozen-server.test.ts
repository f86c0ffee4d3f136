import { mysqlHarness } from '@plant-store/adapters-mysql/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { storeContracts } from '@plant-store/contracts-stores';
import { type DedicatedServer, onServer, startDedicatedServer } from '@plant-store/testing-mysql';
import { afterAll, beforeAll, describe } from 'vitest';
import { aboutOutages } from './outages.ts';

await onServer(
  () => {
    let server: DedicatedServer;
    beforeAll(async () => {
      server = await startDedicatedServer({ fsync: false });
    });
    afterAll(() => server.stop());

    describe('on a server that freezes:', () => {
      describeContract(
        storeContracts,
        () => mysqlHarness(server.url, { startOutage: () => server.pause().then(() => server.resume) }),
        {
          clauses: aboutOutages,
        },
      );
    });
  },
  { dedicated: true },
);
