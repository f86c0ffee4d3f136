import { describe, expect, test } from 'vitest';
import { descriptionClauses } from '../src/contract/description-clauses.ts';
import { type Flaw, flaws, hidingFrom } from './openapi-flaws.ts';
import { visit } from './zoo/visit.ts';

const ids = descriptionClauses.map(({ id }) => id);

test.concurrent('no clause is broken where nothing is wrong', async () => {
  expect(await brokenBy(() => {})).toEqual([]);
});

test.concurrent('every clause is broken where the description wants a token', async () => {
  expect(await brokenBy(hidingFrom(({ headers }) => headers.authorization === undefined))).toEqual(ids);
});

describe.concurrent.each(Object.entries(flaws))('%s is broken where the description', (named, cases) => {
  test.each(cases)('%s', async (_does, flaw) => expect(await brokenBy(flaw)).toEqual(named.split(' and ')));
});

async function brokenBy(server: Flaw): Promise<string[]> {
  const results = await visit({ server }, (id) => ids.includes(id));
  return results.filter(({ verdict }) => verdict === 'broken').map(({ id }) => id);
}
