import { proveContract } from '@plant-store/contracts-kit/vitest';
import { plantExportContract } from '../src/index.ts';
import { exportHarness } from './model/model-export.ts';
import { correctExports, exportMutants } from './mutants/exports.ts';

proveContract(plantExportContract, {
  correct: correctExports,
  broken: exportMutants,
  subjectOf: ({ Export }, tools) => exportHarness(Export, tools),
});
