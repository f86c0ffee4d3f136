import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { storeHarness } from '@plant-store/adapters-sqlite/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { clausesWithOutages, storeContracts } from '@plant-store/contracts-stores';
import { afterAll, expect, test } from 'vitest';
import { temporaryDirectory } from './temporary-files.ts';

const directory = await temporaryDirectory(afterAll);
const url = `sqlite:${join(directory, 'plants.db')}`;
const withOutages = clausesWithOutages(storeHarness(url));
// On a busy machine an add may take seconds.
describeContract(storeContracts, storeHarness(url, { timeoutMs: 10_000 }), {
  clauses: (clause) => !withOutages(clause),
});
// They wait for timeouts, each on its own file.
describeContract(storeContracts, storeHarness(url), { clauses: withOutages, concurrent: true });

test('the contract removes its scratch files, and does not create the given file', async () => {
  expect(await readdir(directory)).toEqual([]);
});
