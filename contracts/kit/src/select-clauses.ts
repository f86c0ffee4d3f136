import type { Contract } from './contract.ts';
import { NotChecked } from './contract-violation.ts';

/** Arguments are wrong, so nothing was done. The message says what to pass instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * The contract with the clauses of a revision, in the contract's order. `newer` has those that later revisions add.
 *
 * @param name of the revision; the newest by default. A contract without revisions keeps all of its clauses.
 * @throws {UsageError} if the contract has no such revision.
 */
export function atRevision<Subject>(contract: Contract<Subject>, name?: string): Contract<Subject> {
  const { clauses, revisions = [] } = contract;
  const revision = name === undefined ? revisions.at(-1) : revisions.find((each) => each.name === name);
  if (revision) {
    const { true: included = [], false: newer = [] } = Object.groupBy(clauses, ({ id }) =>
      revision.clauses.includes(id) ? 'true' : 'false',
    );
    return { ...contract, clauses: included, revision: revision.name, newer };
  }
  if (name === undefined) return contract;
  const known = revisions.map((each) => each.name).join(', ') || 'none';
  throw new UsageError(`the ${contract.name} contract has no revision ${name}; it has ${known}`);
}

/** @throws {UsageError} if the contract does not have one of the clauses that an option names. */
export function assertClauses({ name, clauses }: Contract<never>, option: string, ids: readonly string[]): void {
  const known = clauses.map(({ id }) => id);
  const unknown = ids.filter((id) => !known.includes(id)).map((id) => `"${id}"`);
  if (unknown.length > 0)
    throw new UsageError(
      `${option}: the ${name} contract has no clause ${unknown.join(', ')}; its clauses: ${known.join(' ')}`,
    );
}

/** The clauses to check. Lists are comma-separated ids, `PR-6,PR-7`. */
export interface Selection {
  /** The only clauses to check; all by default. */
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
export function selectClauses<Subject>(whole: Contract<Subject>, selection: Selection): Contract<Subject> {
  const contract = atRevision(whole, selection.revision);
  const [only, except] = (['only', 'except'] as const).map((option) => {
    const ids = selection[option]?.split(',').map((id) => id.trim());
    assertClauses(contract, `--${option}`, ids ?? []);
    return ids;
  });
  const skip = async () => {
    throw new NotChecked('skipped by --except');
  };
  const clauses = contract.clauses
    .filter(({ id }) => only?.includes(id) ?? true)
    .map((clause) => (except?.includes(clause.id) ? { ...clause, check: skip } : clause));
  return { ...contract, clauses };
}
