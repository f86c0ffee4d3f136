import type { Contract } from '@plant-store/contracts-kit';
import { plantExportContract } from './export/contract.ts';
import { plantRepositoryContract } from './repository/contract.ts';
import type { StoreHarness } from './store-harness.ts';

/** The contract of every port that a store serves. What tests, documents or generates a store goes by this list. */
export const storeContracts: readonly Contract<StoreHarness>[] = [plantRepositoryContract, plantExportContract];
