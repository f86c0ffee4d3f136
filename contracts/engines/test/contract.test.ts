import { runContract } from '@plant-store/contracts-kit';
import { describeMutants, inVirtualTime } from '@plant-store/contracts-kit/vitest';
import { Unavailable } from '@plant-store/group-commit';
import { expect, test } from 'vitest';
import { engineContract } from '../src/index.ts';
import { type EngineMutation, isRefused, modelHarness } from '../src/model-engine.ts';

const correct: Readonly<Record<string, EngineMutation>> = {
  'returns `conflict` for taken keys': () => ({}),
  'looks up taken keys itself, and returns `conflict` only for locks': (_, engine) => ({
    writeOne: (item) => (isRefused(item) ? { refused: new RangeError('refused') } : engine.settleOne(item)),
  }),
  'throws Unavailable at once while the database hangs': (_, engine) => ({
    async reach() {
      await engine.tools.sleep(1);
      if (engine.database.isHanging || engine.isClosed) throw new Unavailable('no response');
    },
  }),
};

describeMutants(engineContract, correct, modelHarness);

test.each([
  ['existing', ['GE-1', 'GE-5', 'GE-6', 'GE-7', 'GE-8']],
  ['loseResponses', ['GE-3']],
  ['outages', ['GE-3', 'GE-7', 'GE-11', 'GE-12']],
])('without %s, the clauses %j are not checked, and say so', async (member, ids) => {
  const { results } = await inVirtualTime((tools) => {
    const { prepare } = modelHarness(() => ({}), tools);
    const lacking = { prepare: async () => ({ ...(await prepare()), [member]: undefined }) };
    return runContract(engineContract, lacking, tools);
  });
  const others = results.filter(({ verdict }) => verdict !== 'passed');
  expect(others.map(({ id }) => id)).toEqual(ids);
  for (const result of others)
    expect(result).toMatchObject({ verdict: 'not-checked', message: expect.stringContaining(`supply ${member} in`) });
});
