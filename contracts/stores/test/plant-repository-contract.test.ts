import { describeMutants } from '@plant-store/contracts-kit/vitest';
import { plantRepositoryContract } from '../src/index.ts';
import { correctStores } from './correct-stores.ts';
import { modelHarness } from './model-harness.ts';

describeMutants(plantRepositoryContract, correctStores, modelHarness);
