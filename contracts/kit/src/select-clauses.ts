import type { Contract } from './contract.ts';
import { NotChecked } from './contract-violation.ts';

/** Arguments are wrong, so nothing was done. The message says what to pass instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The names of the revisions of contracts, oldest first. */
export function revisionsOf(...contracts: readonly Contract<never>[]): readonly string[] {
  const months = contracts.flatMap(({ clauses }) => clauses.flatMap(({ since }) => since ?? []));
  return [...new Set(months)].toSorted();
}

/**
 * The contracts with the clauses of a revision, in their order. `newer` has those that later revisions add.
 *
 * @param name of the revision; the newest of them all by default. Contracts without revisions keep all of their clauses.
 * @throws {UsageError} if none of the contracts has such a revision.
 */
export function atRevision<Subject>(contracts: readonly Contract<Subject>[], name?: string): Contract<Subject>[] {
  const revisions = revisionsOf(...contracts);
  const revision = name ?? revisions.at(-1);
  if (revision === undefined) return [...contracts];
  if (!revisions.includes(revision)) {
    const names = contracts.map((each) => each.name).join(', ');
    throw new UsageError(`the ${names} contract has no revision ${revision}; it has ${revisions.join(', ') || 'none'}`);
  }
  return contracts.map((contract) => {
    const [clauses, newer] = [false, true].map((isNewer) =>
      contract.clauses.filter(({ since = '' }) => since > revision === isNewer),
    );
    return { ...contract, revision, clauses: clauses ?? [], newer: newer ?? [] };
  });
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
 * @throws {UsageError} if the contract has no such clause or revision, or if no clause is left to check.
 */
export function selectClauses<Subject>(whole: Contract<Subject>, selection: Selection): Contract<Subject> {
  const [contract = whole] = atRevision([whole], selection.revision);
  const [only, except] = (['only', 'except'] as const).map((option) => {
    const ids = selection[option]?.split(',').map((id) => id.trim());
    assertClauses(contract, `--${option}`, ids ?? []);
    return ids;
  });
  const skip = async () => {
    throw new NotChecked('skipped by --except');
  };
  const selected = contract.clauses.filter(({ id }) => only?.includes(id) ?? true);
  if (selected.every(({ id }) => except?.includes(id)))
    throw new UsageError('--except: no clause is left to check: skip fewer of them');
  const clauses = selected.map((clause) => (except?.includes(clause.id) ? { ...clause, check: skip } : clause));
  return { ...contract, clauses };
}
