import { describeMutants } from '@plant-store/contracts-kit/vitest';
import { plantRepositoryContract } from '../src/index.ts';
import { modelHarness } from './model/model-harness.ts';
import { correctStores } from './mutants/correct.ts';
import { storeMutants } from './mutants/index.ts';

describeMutants(plantRepositoryContract, {
  correct: correctStores,
  mutants: storeMutants,
  harness: modelHarness,
});
