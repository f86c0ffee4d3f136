import { plantRepositoryContract } from '../../src/contract/index.ts';
import { modelUnderTest } from './model-under-test.ts';
import { proveContract } from './prove-contract.ts';
import { correctStores } from './stores/correct.ts';
import { brokenStores } from './stores.ts';

proveContract(plantRepositoryContract, {
  correct: correctStores,
  broken: brokenStores,
  subjectOf: ({ Store }, tools) => modelUnderTest(Store, tools),
});
