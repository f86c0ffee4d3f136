import { mysqlCapabilities } from '@plant-store/adapters-mysql';
import { mysqlHarness } from '@plant-store/adapters-mysql/harness';
import type { Clause } from '@plant-store/contracts-kit';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { plantRepositoryContract, type StoreHarness } from '@plant-store/contracts-stores';
import { freshDatabase, onServer } from '@plant-store/testing-mysql';
import { describe, expect, test } from 'vitest';
import { aboutCrashes, aboutOutages } from './outages.ts';

// Two more have an outage in them, of a store that can have one.
const waits = (clause: Clause<StoreHarness>) => aboutOutages(clause) || ['PR-20', 'PR-21'].includes(clause.id);

await onServer(async () => {
  const shared = mysqlHarness(await freshDatabase());

  // The shared server cannot be killed: see contract-on-killed-server.test.ts.
  describeContract(plantRepositoryContract, shared, {
    clauses: (clause) => !aboutCrashes(clause) && !waits(clause),
  });
  // They wait for time-outs, each on a database of its own.
  describe('with outages:', () => {
    describeContract(plantRepositoryContract, shared, { clauses: waits, concurrent: true });
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
