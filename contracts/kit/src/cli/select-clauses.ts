import type { Contract } from '../contract.ts';
import { NotChecked } from '../contract-violation.ts';
import { atRevision } from '../revisions.ts';
import { errorMessage, UsageError } from './errors.ts';

/** Which clauses to check: comma-separated ids, `PR-6,PR-7`. */
export interface Selection {
  /** Only these, if given. */
  readonly only?: string | undefined;
  /** Clauses to skip. The report lists them as not checked. */
  readonly except?: string | undefined;
  /** The contract's revision; the newest by default. */
  readonly revision?: string | undefined;
}

/**
 * The contract with the selected clauses, in the contract's order.
 * @throws {UsageError} if the contract has no such clause or revision.
 */
export function selectClauses<Subject>(
  whole: Contract<Subject>,
  { only, except, revision }: Selection,
): Contract<Subject> {
  const contract = revised(whole, revision);
  const wanted = only === undefined ? undefined : named(contract, '--only', only);
  const skipped = except === undefined ? [] : named(contract, '--except', except);
  const skip = async () => {
    throw new NotChecked('skipped by --except');
  };
  const clauses = contract.clauses
    .filter(({ id }) => wanted?.includes(id) ?? true)
    .map((clause) => (skipped.includes(clause.id) ? { ...clause, check: skip } : clause));
  return { ...contract, clauses };
}

function revised<Subject>(contract: Contract<Subject>, revision: string | undefined): Contract<Subject> {
  try {
    return atRevision(contract, revision);
  } catch (error) {
    throw new UsageError(`--revision: ${errorMessage(error)}`);
  }
}

function named({ name, clauses }: Contract<never>, option: string, ids: string): readonly string[] {
  const given = ids.split(',').map((id) => id.trim());
  const known = clauses.map(({ id }) => id);
  const unknown = given.filter((id) => !known.includes(id));
  if (unknown.length === 0) return given;
  const which = unknown.map((id) => `"${id}"`).join(', ');
  throw new UsageError(`${option}: the ${name} contract has no clause ${which}; its clauses: ${known.join(' ')}`);
}
