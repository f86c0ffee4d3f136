import { engineContract } from '@plant-store/contracts-engines';
import { httpContract } from '@plant-store/contracts-http';
import { type Contract, revisionsOf } from '@plant-store/contracts-kit';
import { migrationContract, storeContracts } from '@plant-store/contracts-stores';
import { tokenVerifierContract } from '@plant-store/contracts-tokens';

/** The ids of the clauses of each revision, by contract and month. */
export type Revisions = Readonly<Record<string, Readonly<Record<string, string>>>>;

const ours: readonly Contract<never>[] = [
  engineContract,
  httpContract,
  migrationContract,
  tokenVerifierContract,
  ...storeContracts,
];

/** The revisions as the clauses say by `since`, released or open. */
export function revisions(contracts = ours): Revisions {
  const idsAt = ({ clauses }: Contract<never>, month: string) =>
    clauses.filter(({ since = '' }) => since <= month).map(({ id }) => id);
  const byMonth = (contract: Contract<never>) =>
    Object.fromEntries(revisionsOf(contract).map((month) => [month, idsAt(contract, month).join(' ')]));
  return Object.fromEntries(contracts.map((contract) => [contract.name, byMonth(contract)]));
}

/** The released revisions that another state does not have, or has with other clauses. */
export function missing(released: Revisions, now: Revisions): readonly string[] {
  return Object.entries(released).flatMap(([contract, months]) =>
    Object.entries(months).flatMap(([month, ids]) =>
      now[contract]?.[month] === ids ? [] : [`${contract}, ${month}: ${ids}`],
    ),
  );
}
