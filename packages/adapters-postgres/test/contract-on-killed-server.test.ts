import { storeHarness } from '@plant-store/adapters-postgres/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { storeContracts } from '@plant-store/contracts-stores';
import { ownServer } from '@plant-store/testing-postgres';
import { describe } from 'vitest';
import { aboutCrashes, aboutOutages, killing } from './outages.ts';

const server = ownServer();

describe('on a server that is killed:', () => {
  describeContract(storeContracts, () => storeHarness(server.url, killing(server)), {
    clauses: (clause) => aboutOutages(clause) || aboutCrashes(clause),
  });
});
