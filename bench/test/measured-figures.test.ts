import { expect, onTestFinished, test } from 'vitest';
import { contestants } from '../src/contestants/contestants.ts';
import { startContestant } from '../src/contestants/start-contestant.ts';

/** Measures a contestant that stores nothing, on a table that grows by this many rows between two counts. */
async function measureEcho(rowsMore: number) {
  const echo = contestants.find(({ name }) => name === 'echo');
  if (!echo) throw new Error('there is no echo');
  let rows = 0;
  const running = await startContestant(echo, {
    url: 'memory:',
    count: async () => (rows += rowsMore),
    settle: async () => {},
    [Symbol.asyncDispose]: async () => {},
  });
  onTestFinished(() => running[Symbol.asyncDispose]());
  return running.measure({ connections: 4, seconds: 0.1, rate: 1_000 });
}

test('figures include the usage of the process if the table has the created plants', async () => {
  const { figures, outcomes } = await measureEcho(100);
  expect(outcomes).toEqual({ '200': 100 });
  expect(figures.cpu).toBeGreaterThan(0);
  expect(figures.rss).toBeGreaterThan(10);
});

test.each([0, 99, 101])('figures are invalid if 100 plants were created and the table has %d', async (rows) => {
  await expect(measureEcho(rows)).rejects.toThrow('its figures are invalid');
});
