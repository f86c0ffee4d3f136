import { mysqlCapabilities } from '@plant-store/adapters-mysql';
import { mysqlHarness } from '@plant-store/adapters-mysql/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { clausesWithOutages, storeContracts } from '@plant-store/contracts-stores';
import { freshDatabase, onServer } from '@plant-store/testing-mysql';
import { expect, test } from 'vitest';
import { aboutCrashes } from './outages.ts';

await onServer(async () => {
  const shared = mysqlHarness(await freshDatabase());

  describeContract(storeContracts, shared, {
    // The shared server cannot be killed.
    elsewhere: { file: 'contract-on-killed-server.test.ts', clauses: aboutCrashes },
    // They wait for time-outs, each on a database of its own.
    concurrent: clausesWithOutages(shared),
  });
});

// Without one of them its clauses would be skipped, and everything would be green.
test('no capability is lost', () => {
  expect(mysqlCapabilities).toEqual({
    durable: true,
    survivesCrash: true,
    survivesServerCrash: true,
    shared: true,
    external: true,
    observed: true,
    timeoutMs: 2_000,
  });
});
