import { plantExportContract } from '../../src/contract/index.ts';
import { brokenExports, correctExports } from './exports.ts';
import { exportUnderTest } from './model-export.ts';
import { proveContract } from './prove-contract.ts';

proveContract(plantExportContract, {
  correct: correctExports,
  broken: brokenExports,
  subjectOf: ({ Export }, tools) => exportUnderTest(Export, tools),
});
