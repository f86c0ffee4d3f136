import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { storeHarness } from '@plant-store/adapters-sqlite/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { clausesWithOutages, storeContracts } from '@plant-store/contracts-stores';
import { afterAll, expect, test } from 'vitest';
import { temporaryDirectory } from './temporary-files.ts';

const directory = await temporaryDirectory(afterAll);
const harness = storeHarness(`sqlite:${join(directory, 'plants.db')}`);
// Some wait for time-outs, each on a file of its own.
describeContract(storeContracts, harness, { concurrent: clausesWithOutages(harness) });

test('the contract leaves nothing of its scratch places, and does not make the given file', async () => {
  expect(await readdir(directory)).toEqual([]);
});
