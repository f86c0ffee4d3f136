import { descriptionClauses } from '@plant-store/contracts-http/wire';
import { describe, expect, test } from 'vitest';
import { runMutant } from '../src/run-mutant.ts';
import { hidingFrom, type Mutation, mutations } from './openapi-mutations.ts';

const ids = descriptionClauses.map(({ id }) => id);

test.concurrent('no clause fails if nothing is wrong', async () => {
  expect(await failedBy(() => {})).toEqual([]);
});

test.concurrent('every clause fails if the description requires a token', async () => {
  expect(await failedBy(hidingFrom(({ headers }) => headers.authorization === undefined))).toEqual(ids);
});

describe.concurrent.each(Object.entries(mutations))('%s fails if the description', (named, cases) => {
  test.each(cases)('%s', async (_does, mutation) => expect(await failedBy(mutation)).toEqual(named.split(' and ')));
});

async function failedBy(server: Mutation): Promise<string[]> {
  // For HC-66, sooner than the 7.5 s in which it expects its response, and later than a busy machine needs for valid requests.
  const results = await runMutant({ server, options: { headersTimeout: 3_000 } }, (id) => ids.includes(id));
  return results.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id);
}
