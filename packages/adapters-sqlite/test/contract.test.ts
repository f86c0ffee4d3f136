import { join } from 'node:path';
import { storeHarness } from '@plant-store/adapters-sqlite/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { clausesWithOutages, storeContracts } from '@plant-store/contracts-stores';
import { afterAll } from 'vitest';
import { temporaryDirectory } from './temporary-files.ts';

const harness = storeHarness(`sqlite:${join(await temporaryDirectory(afterAll), 'plants.db')}`);
// Some wait for time-outs, each on a file of its own.
describeContract(storeContracts, harness, { concurrent: clausesWithOutages(harness) });
