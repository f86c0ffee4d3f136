import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { storeHarness } from '@plant-store/adapters-sqlite/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { clausesWithOutages, storeContracts } from '@plant-store/contracts-stores';
import { afterAll, expect, test } from 'vitest';
import { temporaryDirectory } from './temporary-files.ts';

const directory = await temporaryDirectory(afterAll);
const harness = storeHarness(`sqlite:${join(directory, 'plants.db')}`);
// Some clauses wait for timeouts, each on its own file.
describeContract(storeContracts, harness, { concurrent: clausesWithOutages(harness) });

test('the contract removes its scratch files, and does not create the given file', async () => {
  expect(await readdir(directory)).toEqual([]);
});
