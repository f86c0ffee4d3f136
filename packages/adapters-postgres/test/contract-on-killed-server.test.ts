import { postgresHarness } from '@plant-store/adapters-postgres/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { storeContracts } from '@plant-store/contracts-stores';
import { type DedicatedServer, startDedicatedServer } from '@plant-store/testing-postgres';
import { afterAll, beforeAll, describe } from 'vitest';
import { aboutCrashes, aboutOutages, killing } from './outages.ts';

let server: DedicatedServer;
beforeAll(async () => {
  server = await startDedicatedServer();
});
afterAll(() => server.stop());

describe('on a server that is killed:', () => {
  describeContract(storeContracts, () => postgresHarness(server.url, killing(server)), {
    clauses: (clause) => aboutOutages(clause) || aboutCrashes(clause),
  });
});
