import type { Contract } from '@plant-store/contracts-kit';
import type { StoreMutation } from '../model/model-store.ts';
import type { StoreHarness } from '../store-harness.ts';
import { concurrencyClauses } from './concurrency.ts';
import { durabilityClauses } from './durability.ts';
import { lifecycleClauses } from './lifecycle.ts';
import { misconfigurationClauses } from './misconfiguration.ts';
import { observerClauses } from './observer.ts';
import { outageClauses } from './outages.ts';
import { recordClauses } from './records.ts';

/** The PlantRepository contract: one clause for every number in the documentation of the port. */
export const plantRepositoryContract: Contract<StoreHarness, StoreMutation> = {
  name: 'PlantRepository',
  documentation: 'docs/storage-adapters.md',
  clauses: [
    recordClauses,
    concurrencyClauses,
    durabilityClauses,
    outageClauses,
    lifecycleClauses,
    observerClauses,
    misconfigurationClauses,
  ]
    .flat()
    .sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true })),
};
