import { postgresHarness } from '@plant-store/adapters-postgres/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { plantRepositoryContract } from '@plant-store/contracts-stores';
import { freshDatabase } from '@plant-store/testing-postgres';
import { describe } from 'vitest';
import { aboutOutages } from './outages.ts';

const shared = await freshDatabase();

// They wait for time-outs, each behind a proxy of its own.
describe('through a proxy that freezes, as plant-store verify-store runs it:', () => {
  describeContract(plantRepositoryContract, postgresHarness(shared), { clauses: aboutOutages, concurrent: true });
});
