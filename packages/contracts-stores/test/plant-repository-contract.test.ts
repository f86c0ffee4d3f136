import { proveContract } from '@plant-store/contracts-kit/vitest';
import { plantRepositoryContract } from '../src/index.ts';
import { modelHarness } from './model/model-harness.ts';
import { correctStores } from './mutants/correct.ts';
import { storeMutants } from './mutants/index.ts';

proveContract(plantRepositoryContract, {
  correct: correctStores,
  broken: storeMutants,
  subjectOf: ({ Store }, tools) => modelHarness(Store, tools),
});
