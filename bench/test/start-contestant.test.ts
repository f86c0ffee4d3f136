import { expect, test } from 'vitest';
import { contestants } from '../src/contestants/contestants.ts';
import { startContestant } from '../src/contestants/start-contestant.ts';

test.each([99, 101])('figures are invalid if 100 plants were acknowledged and %d stored', async (stored) => {
  const [echo] = contestants;
  if (!echo) throw new Error('there is no echo');
  let rows = 0;
  await using contestant = await startContestant(echo, { url: '', count: async () => (rows += stored) });
  await expect(contestant.measure({ connections: 4, rate: 1_000, seconds: 0.1 })).rejects.toThrow(
    `echo acknowledged 100 of 100 plants, and its table has ${stored} more`,
  );
});
