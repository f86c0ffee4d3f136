import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { storeContracts } from '@plant-store/contracts-stores';
import { storeHarness } from '../src/index.ts';

// A file refuses no plant, which is what PR-16 needs.
describeContract(storeContracts, () => storeHarness(`file-log:${join(tmpdir(), 'plants.log')}`), {
  notChecked: ['PR-16'],
});
