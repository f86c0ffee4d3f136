import { readFile } from 'node:fs/promises';
import type { Contract } from '../contract.ts';
import { type KnownFailures, unknownFailures } from '../known-failures.ts';
import { errorMessage, UsageError } from './errors.ts';

/**
 * Reads a file of known failures, `{"PR-16": "the reason"}`; none without a path.
 * @throws {UsageError} if it cannot be read, or names a clause that the contract does not have.
 */
export async function readKnownFailures(path: string | undefined, contract: Contract<never>): Promise<KnownFailures> {
  if (path === undefined) return {};
  const known: unknown = await readFile(path, 'utf8')
    .then(JSON.parse)
    .catch((error) => {
      throw new UsageError(`--known-failures: ${path}: ${errorMessage(error)}`);
    });
  if (!isKnownFailures(known))
    throw new UsageError(`--known-failures: ${path}: expected an object with a reason for each clause, {"PR-16": "…"}`);
  const unknown = unknownFailures(
    known,
    contract.clauses.map(({ id }) => id),
  );
  if (unknown.length > 0)
    throw new UsageError(
      `--known-failures: ${path}: the ${contract.name} contract has no clause ${unknown.join(', ')}`,
    );
  return known;
}

function isKnownFailures(value: unknown): value is KnownFailures {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((reason) => typeof reason === 'string' && reason !== '')
  );
}
