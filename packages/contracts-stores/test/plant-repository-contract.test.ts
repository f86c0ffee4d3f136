import { proveContract } from '@plant-store/contracts-kit/vitest';
import { plantRepositoryContract } from '../src/index.ts';
import { modelUnderTest } from './model/model-harness.ts';
import { correctStores } from './mutants/correct.ts';
import { brokenStores } from './mutants/index.ts';

proveContract(plantRepositoryContract, {
  correct: correctStores,
  broken: brokenStores,
  subjectOf: ({ Store }, tools) => modelUnderTest(Store, tools),
});
