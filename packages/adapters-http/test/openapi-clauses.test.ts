import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { openMemory } from '@plant-store/adapters-memory';
import { createPlant } from '@plant-store/domain';
import { runClause } from '@plant-store/domain/contract';
import { describe, expect, test } from 'vitest';
import { descriptionClauses } from '../src/contract/description-clauses.ts';
import { createHttpServer } from '../src/index.ts';
import { type Flaw, flaws, hidingFrom } from './openapi-flaws.ts';

test('no clause is broken where nothing is wrong', async () => {
  expect(await brokenBy(() => {})).toEqual([]);
});

test('every clause is broken where the description wants a token', async () => {
  const broken = await brokenBy(hidingFrom(({ headers }) => headers.authorization === undefined));
  expect(broken).toEqual(descriptionClauses.map(({ id }) => id));
});

describe.each(Object.entries(flaws))('%s is broken where the description', (ids, cases) => {
  test.concurrent.each(cases)('%s', async (_does, flaw) => expect(await brokenBy(flaw)).toEqual(ids.split(' and ')));
});

async function brokenBy(flaw: Flaw): Promise<string[]> {
  const app = createHttpServer({
    createPlant: createPlant(openMemory().plants),
    tokens: { verify: async (text) => (text === token ? { accepted: true, subject: 'test' } : { accepted: false }) },
    // Soon, for HC-66, but not so soon that a busy machine makes good requests late.
    headersTimeout: 1_000,
    closeTimeout: 0,
  });
  flaw(app);
  try {
    const service = { baseUrl: await app.listen({ host: '127.0.0.1', port: 0 }), token };
    const tools = { sleep: (ms: number) => sleep(ms, undefined, { ref: false }), nextTurn };
    const results = await Promise.all(descriptionClauses.map((clause) => runClause(clause, service, tools)));
    return results.filter(({ verdict }) => verdict === 'broken').map(({ id }) => id);
  } finally {
    await app.close();
  }
}

const token = 'correct.Horse-battery_Staple';
