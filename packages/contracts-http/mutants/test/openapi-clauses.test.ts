import { descriptionClauses } from '@plant-store/contracts-http/wire';
import { describe, expect, test } from 'vitest';
import { runMutant } from '../src/run-mutant.ts';
import { hidingFrom, type Mutation, mutations } from './openapi-mutations.ts';

const ids = descriptionClauses.map(({ id }) => id);

test.concurrent('no clause is broken where nothing is wrong', async () => {
  expect(await brokenBy(() => {})).toEqual([]);
});

test.concurrent('every clause is broken where the description wants a token', async () => {
  expect(await brokenBy(hidingFrom(({ headers }) => headers.authorization === undefined))).toEqual(ids);
});

describe.concurrent.each(Object.entries(mutations))('%s is broken where the description', (named, cases) => {
  test.each(cases)('%s', async (_does, mutation) => expect(await brokenBy(mutation)).toEqual(named.split(' and ')));
});

async function brokenBy(server: Mutation): Promise<string[]> {
  // For HC-66, sooner than the 7.5 s in which it wants its answer, and later than a busy machine makes good requests.
  const results = await runMutant({ server, options: { headersTimeout: 3_000 } }, (id) => ids.includes(id));
  return results.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id);
}
