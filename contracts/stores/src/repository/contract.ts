import type { Contract } from '@plant-store/contracts-kit';
import { plantExportContract } from '../export/contract.ts';
import type { StoreMutation } from '../model/model-store.ts';
import type { StoreHarness } from '../store-harness.ts';
import { concurrencyClauses } from './concurrency.ts';
import { durabilityClauses } from './durability.ts';
import { fitnessClauses } from './fitness.ts';
import { lifecycleClauses } from './lifecycle.ts';
import { outageClauses } from './outages.ts';
import { recordClauses } from './records.ts';

/** The PlantRepository contract: one clause for every number in the documentation of the port. */
export const plantRepositoryContract: Contract<StoreHarness, StoreMutation> = {
  name: 'PlantRepository',
  documentation: 'docs/storage-adapters.md',
  clauses: [recordClauses, concurrencyClauses, durabilityClauses, outageClauses, lifecycleClauses, fitnessClauses]
    .flat()
    .sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true })),
};

/** The contract of every port of a store. Tests and documents take the ports from this list. */
export const storeContracts: readonly Contract<StoreHarness>[] = [plantRepositoryContract, plantExportContract];
