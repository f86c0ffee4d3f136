import type { Clause, Contract } from '@plant-store/contracts-kit';
import { repositoryRevisions } from '../revisions.ts';
import type { StoreHarness } from '../store-harness.ts';
import { closingClauses } from './closing.ts';
import { concurrentAddClauses } from './concurrent-adds.ts';
import { durabilityClauses } from './durability.ts';
import { errorClauses } from './errors.ts';
import { misconfigurationClauses } from './misconfiguration.ts';
import { observerClauses } from './observer.ts';
import { outageClauses } from './outages.ts';
import { raceClauses } from './races.ts';
import { readinessClauses } from './readiness.ts';
import { recordClauses } from './records.ts';
import { resultClauses } from './results.ts';
import { serverCrashClauses } from './server-crash.ts';

/** The PlantRepository contract: one clause for every number in the documentation of the port. */
export const plantRepositoryContract: Contract<StoreHarness> = {
  name: 'PlantRepository',
  documentation: 'docs/storage-adapters.md',
  clauses: [
    ...recordClauses,
    ...resultClauses,
    ...raceClauses,
    ...concurrentAddClauses,
    ...durabilityClauses,
    ...serverCrashClauses,
    ...outageClauses,
    ...readinessClauses,
    ...closingClauses,
    ...errorClauses,
    ...observerClauses,
    ...misconfigurationClauses,
  ].sort(byNumber),
  revisions: repositoryRevisions,
};

function byNumber(a: Clause<never>, b: Clause<never>): number {
  return Number(a.id.split('-')[1]) - Number(b.id.split('-')[1]);
}
