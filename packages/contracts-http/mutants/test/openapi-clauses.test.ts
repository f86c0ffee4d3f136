import { httpContract } from '@plant-store/contracts-http';
import { descriptionClauses } from '@plant-store/contracts-http/wire';
import { clausesFor } from '@plant-store/contracts-kit/vitest';
import { describe, expect, test } from 'vitest';
import { runMutant } from '../src/run-mutant.ts';
import { hidingFrom, type Mutation, mutations } from './openapi-mutations.ts';

const ids = descriptionClauses.map(({ id }) => id);
const clauses: typeof httpContract.clauses = httpContract.clauses.filter(({ id }) => ids.includes(id));

test.concurrent('no clause fails if nothing is wrong', async () => {
  expect(await failedBy(() => {})).toEqual([]);
});

test.concurrent('every clause fails if the description requires a token', async () => {
  expect(await failedBy(hidingFrom(({ headers }) => headers.authorization === undefined))).toEqual(ids);
});

describe.concurrent.each(Object.entries(mutations))('%s fails if the description', (named, cases) => {
  const failed = named.split(' and ');
  test.each(cases)('%s', async (_, mutation) => {
    expect(await failedBy(mutation, clausesFor(clauses, failed))).toEqual(failed);
  });
});

/** Of the clauses about the description, or of a selection of them. */
async function failedBy(server: Mutation, selected = clauses): Promise<string[]> {
  // For HC-66, sooner than the 7.5 s in which it expects its response, and later than a busy machine needs for valid requests.
  const results = await runMutant({ server, options: { headersTimeout: 3_000 } }, selected);
  return results.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id);
}
