import { proveContract } from '@plant-store/contracts-kit/vitest';
import { plantExportContract } from '../src/index.ts';
import { exportUnderTest } from './model/model-export.ts';
import { brokenExports, correctExports } from './mutants/exports.ts';

proveContract(plantExportContract, {
  correct: correctExports,
  broken: brokenExports,
  subjectOf: ({ Export }, tools) => exportUnderTest(Export, tools),
});
