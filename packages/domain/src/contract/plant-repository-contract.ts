import type { Clause, Contract } from './contract.ts';
import { answerClauses } from './plant-repository-answers.ts';
import { recordClauses } from './plant-repository-records.ts';
import { timingClauses } from './plant-repository-timing.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** The PlantRepository contract: one clause for every number in the documentation of the port. */
export const plantRepositoryContract: Contract<StoreUnderTest> = {
  name: 'PlantRepository',
  clauses: [...recordClauses, ...answerClauses, ...timingClauses].sort(byNumber),
};

function byNumber(a: Clause<never>, b: Clause<never>): number {
  return Number(a.id.split('-')[1]) - Number(b.id.split('-')[1]);
}
