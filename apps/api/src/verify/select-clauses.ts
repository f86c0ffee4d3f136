import type { Contract } from '@plant-store/domain/contract';
import { WrongUsage } from './wrong-usage.ts';

/**
 * The contract with the named clauses alone, in its own order; the whole of it where none are named.
 *
 * @param only ids with commas between them: `PR-6,PR-7`.
 * @throws {WrongUsage} when the contract has no such clause.
 */
export function selectClauses<Subject>(contract: Contract<Subject>, only: string | undefined): Contract<Subject> {
  if (only === undefined) return contract;
  const wanted = only.split(',').map((id) => id.trim());
  const known = contract.clauses.map(({ id }) => id);
  const unknown = wanted.filter((id) => !known.includes(id));
  if (unknown.length > 0) {
    const which = unknown.map((id) => `"${id}"`).join(', ');
    throw new WrongUsage(`--only: the ${contract.name} contract has no clause ${which}; it has ${known.join(' ')}`);
  }
  return { ...contract, clauses: contract.clauses.filter(({ id }) => wanted.includes(id)) };
}
