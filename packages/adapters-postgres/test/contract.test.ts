import { postgresCapabilities } from '@plant-store/adapters-postgres';
import { postgresHarness } from '@plant-store/adapters-postgres/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { plantRepositoryContract } from '@plant-store/contracts-stores';
import { freshDatabase } from '@plant-store/testing-postgres';
import { describe, expect, test } from 'vitest';
import { aboutCrashes, aboutOutages, closing } from './outages.ts';

/** On the server that the run shares. */
const shared = await freshDatabase();

// The shared server cannot be killed: see contract-on-killed-server.test.ts.
describeContract(plantRepositoryContract, postgresHarness(shared, closing), {
  clauses: (clause) => !aboutCrashes(clause),
});

// They wait for time-outs, each behind a proxy of its own.
describe('about outages, as plant-store verify-store runs it:', () => {
  describeContract(plantRepositoryContract, postgresHarness(shared), { clauses: aboutOutages, concurrent: true });
});

// Without one of them its clauses would be skipped, and everything would be green.
test('no capability is lost', () => {
  expect(postgresCapabilities).toEqual({
    durable: true,
    survivesCrash: true,
    survivesServerCrash: true,
    shared: true,
    external: true,
    observed: true,
    timeoutMs: 2_000,
  });
});
