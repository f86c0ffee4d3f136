import { postgresHarness } from '@plant-store/adapters-postgres/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { storeContracts } from '@plant-store/contracts-stores';
import { type DedicatedServer, startDedicatedServer } from '@plant-store/testing-postgres';
import { afterAll, beforeAll, describe } from 'vitest';
import { aboutOutages } from './outages.ts';

let server: DedicatedServer;
beforeAll(async () => {
  server = await startDedicatedServer({ fsync: false });
});
afterAll(() => server.stop());

describe('on a server that freezes:', () => {
  describeContract(
    storeContracts,
    () => postgresHarness(server.url, { startOutage: () => server.pause().then(() => server.resume) }),
    {
      clauses: aboutOutages,
    },
  );
});
