import type { Contract } from './contract.ts';

/**
 * The contract as a revision has it: with its clauses, in the contract's order, and with those that newer ones add as `newer`.
 *
 * @param name the newest by default. A contract without revisions has all of its clauses.
 * @throws {RangeError} if the contract has no such revision.
 */
export function atRevision<Subject>(contract: Contract<Subject>, name?: string): Contract<Subject> {
  const { clauses, revisions = [] } = contract;
  const revision = name === undefined ? revisions.at(-1) : revisions.find((each) => each.name === name);
  if (revision) {
    const [kept = [], newer = []] = [true, false].map((is) =>
      clauses.filter(({ id }) => revision.clauses.includes(id) === is),
    );
    return { ...contract, clauses: kept, revision: revision.name, newer };
  }
  if (name === undefined) return contract;
  const known = revisions.map((each) => each.name).join(', ') || 'none';
  throw new RangeError(`the ${contract.name} contract has no revision ${name}; it has ${known}`);
}
