import { type Contract, NotChecked } from '@plant-store/contracts-kit';
import { WrongUsage } from '../usage-error.ts';

/** Which clauses are checked: ids with commas between them, `PR-6,PR-7`. */
export interface Selection {
  /** These and no others, where it is given. */
  readonly only: string | undefined;
  /** Of those, not these. They are in the report as not checked. */
  readonly except?: string | undefined;
}

/**
 * The contract with the selected clauses, in its own order.
 * @throws {WrongUsage} when the contract has no such clause.
 */
export function selectClauses<Subject>(contract: Contract<Subject>, { only, except }: Selection): Contract<Subject> {
  const wanted = only === undefined ? undefined : named(contract, '--only', only);
  const leftOut = except === undefined ? [] : named(contract, '--except', except);
  const leaveOut = async () => {
    throw new NotChecked('left out by --except');
  };
  const clauses = contract.clauses
    .filter(({ id }) => wanted?.includes(id) ?? true)
    .map((clause) => (leftOut.includes(clause.id) ? { ...clause, check: leaveOut } : clause));
  return { ...contract, clauses };
}

function named({ name, clauses }: Contract<never>, option: string, ids: string): readonly string[] {
  const given = ids.split(',').map((id) => id.trim());
  const known = clauses.map(({ id }) => id);
  const unknown = given.filter((id) => !known.includes(id));
  if (unknown.length === 0) return given;
  const which = unknown.map((id) => `"${id}"`).join(', ');
  throw new WrongUsage(`${option}: the ${name} contract has no clause ${which}; it has ${known.join(' ')}`);
}
