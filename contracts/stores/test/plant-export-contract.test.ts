import { describeMutants } from '@plant-store/contracts-kit/vitest';
import { plantExportContract } from '../src/index.ts';
import { exportHarness } from './model/model-export.ts';
import { correctExports, exportMutants } from './mutants/exports.ts';

describeMutants(plantExportContract, {
  correct: correctExports,
  mutants: exportMutants,
  harness: exportHarness,
});
