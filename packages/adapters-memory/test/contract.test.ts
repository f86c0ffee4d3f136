import { memoryHarness } from '@plant-store/adapters-memory/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { plantExportContract, plantRepositoryContract } from '@plant-store/contracts-stores';

// Memory can refuse no plant, which is what PR-16 needs.
describeContract(plantRepositoryContract, memoryHarness, { notChecked: ['PR-16'] });
describeContract(plantExportContract, memoryHarness);
