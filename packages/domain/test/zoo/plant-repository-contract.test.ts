import { plantRepositoryContract } from '../../src/contract/index.ts';
import { ModelStore } from './model-store.ts';
import { modelUnderTest } from './model-under-test.ts';
import { proveContract } from './prove-contract.ts';
import { brokenStores } from './stores.ts';

proveContract(plantRepositoryContract, {
  members: brokenStores,
  subjectOf: (member, tools) => modelUnderTest(member?.Store ?? ModelStore, tools),
});
