import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sqliteCapabilities } from '@plant-store/adapters-sqlite';
import { sqliteHarness } from '@plant-store/adapters-sqlite/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { clausesWithOutages, storeContracts } from '@plant-store/contracts-stores';
import { afterAll, expect, test } from 'vitest';
import { makeDirectory } from './temporary-directory.ts';

const directory = await makeDirectory();
afterAll(() => rm(directory, { recursive: true }));

const harness = sqliteHarness(join(directory, 'plants.db'));
// Some wait for time-outs, each on a file of its own.
describeContract(storeContracts, harness, { concurrent: clausesWithOutages(harness) });

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
