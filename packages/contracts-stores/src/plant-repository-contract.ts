import type { Clause, Contract } from '@plant-store/contracts-kit';
import { answerClauses } from './plant-repository-answers.ts';
import { closingClauses } from './plant-repository-closing.ts';
import { durabilityClauses } from './plant-repository-durability.ts';
import { neighbourClauses } from './plant-repository-neighbours.ts';
import { outageClauses } from './plant-repository-outages.ts';
import { raceClauses } from './plant-repository-races.ts';
import { readinessClauses } from './plant-repository-readiness.ts';
import { recordClauses } from './plant-repository-records.ts';
import { serverCrashClauses } from './plant-repository-server-crash.ts';
import type { StoreHarness } from './store-harness.ts';

/** The PlantRepository contract: one clause for every number in the documentation of the port. */
export const plantRepositoryContract: Contract<StoreHarness> = {
  name: 'PlantRepository',
  documentation: 'docs/write-a-storage-adapter.md',
  clauses: [
    ...recordClauses,
    ...answerClauses,
    ...raceClauses,
    ...neighbourClauses,
    ...durabilityClauses,
    ...serverCrashClauses,
    ...outageClauses,
    ...readinessClauses,
    ...closingClauses,
  ].sort(byNumber),
};

function byNumber(a: Clause<never>, b: Clause<never>): number {
  return Number(a.id.split('-')[1]) - Number(b.id.split('-')[1]);
}
