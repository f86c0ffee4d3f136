import { postgresCapabilities } from '@plant-store/adapters-postgres';
import { postgresHarness } from '@plant-store/adapters-postgres/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { clausesWithOutages, storeContracts } from '@plant-store/contracts-stores';
import { freshDatabase } from '@plant-store/testing-postgres';
import { expect, test } from 'vitest';
import { aboutCrashes } from './outages.ts';

const shared = postgresHarness(await freshDatabase());

describeContract(storeContracts, shared, {
  // The server that the run shares cannot be killed.
  elsewhere: { file: 'contract-on-killed-server.test.ts', clauses: aboutCrashes },
  // They wait for time-outs, each on a database of its own.
  concurrent: clausesWithOutages(shared),
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
