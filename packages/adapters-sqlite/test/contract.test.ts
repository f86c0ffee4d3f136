import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sqliteCapabilities } from '@plant-store/adapters-sqlite';
import { sqliteHarness } from '@plant-store/adapters-sqlite/harness';
import type { Clause } from '@plant-store/contracts-kit';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { clausesThatNeed, plantRepositoryContract, type StoreHarness } from '@plant-store/contracts-stores';
import { afterAll, describe, expect, test } from 'vitest';
import { makeDirectory } from './temporary-directory.ts';

const directory = await makeDirectory();
afterAll(() => rm(directory, { recursive: true }));

const harness = sqliteHarness(join(directory, 'plants.db'));
const aboutOutages = clausesThatNeed('external', harness);
// Two more have an outage in them, of a store that can have one.
const waits = (clause: Clause<StoreHarness>) => aboutOutages(clause) || ['PR-20', 'PR-21'].includes(clause.id);

describeContract(plantRepositoryContract, harness, { clauses: (clause) => !waits(clause) });
// They wait for time-outs, each on a file of its own.
describe('with outages:', () => {
  describeContract(plantRepositoryContract, harness, { clauses: waits, concurrent: true });
});

// Without one of them its clauses would be skipped, and everything would be green.
test('no capability is lost', () => {
  expect(sqliteCapabilities).toEqual({
    durable: true,
    survivesCrash: true,
    survivesServerCrash: false,
    shared: true,
    external: true,
    observed: true,
    timeoutMs: 2_000,
  });
});
