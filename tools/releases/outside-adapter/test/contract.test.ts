import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { storeContracts } from '@plant-store/contracts-stores';
import { storeHarness } from '../src/index.ts';

// A file rejects no plant (PR-16, PR-20, PR-24), changes none (PR-20, PR-23), and is created if it is missing (PR-25).
describeContract(storeContracts, () => storeHarness(`file-log:${join(tmpdir(), 'plants.log')}`), {
  revision: '2026-12',
  notChecked: ['PR-16', 'PR-20', 'PR-23', 'PR-24', 'PR-25'],
});
