import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sqliteHarness } from '@plant-store/adapters-sqlite/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { clausesWithOutages, storeContracts } from '@plant-store/contracts-stores';
import { afterAll } from 'vitest';
import { makeDirectory } from './temporary-directory.ts';

const directory = await makeDirectory();
afterAll(() => rm(directory, { recursive: true }));

const harness = sqliteHarness(join(directory, 'plants.db'));
// Some wait for time-outs, each on a file of its own.
describeContract(storeContracts, harness, { concurrent: clausesWithOutages(harness) });
