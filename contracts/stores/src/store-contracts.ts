import type { Contract } from '@plant-store/contracts-kit';
import { plantExportContract } from './export/contract.ts';
import { plantRepositoryContract } from './repository/contract.ts';
import { exportRevisions, repositoryRevisions } from './revisions.ts';
import type { StoreHarness } from './store-harness.ts';

/** The contract of every port that a store serves. What tests, documents or generates a store goes by this list. */
export const storeContracts: readonly Contract<StoreHarness>[] = [plantRepositoryContract, plantExportContract];

/** All of them as one, for a run with one report. */
export const storeContract: Contract<StoreHarness> = {
  name: 'PlantStore',
  clauses: storeContracts.flatMap(({ clauses }) => clauses),
  // Of each month, those of both.
  revisions: repositoryRevisions.map(({ name, clauses }) => ({
    name,
    clauses: [...clauses, ...(exportRevisions.find((each) => each.name === name)?.clauses ?? [])],
  })),
};
