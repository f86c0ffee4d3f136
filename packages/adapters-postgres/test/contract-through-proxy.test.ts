import { postgresHarness } from '@plant-store/adapters-postgres/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { storeContracts } from '@plant-store/contracts-stores';
import { freshDatabase } from '@plant-store/testing-postgres';
import { describe } from 'vitest';
import { aboutOutages } from './outages.ts';

const shared = postgresHarness(await freshDatabase());

// These clauses wait for time-outs: beside each other, each behind a proxy of its own.
describe('through a proxy that freezes, as plant-store verify-store runs it:', () => {
  describeContract(storeContracts, shared, { clauses: aboutOutages, concurrent: true });
});
