import { expect, test } from 'vitest';
import { inTurn } from '../src/suites/in-turn.ts';
import { scenariosOf } from '../src/suites/suites.ts';

test('contestants take turns of a second, each turn begins with another one, and each round with new ones', async () => {
  const record: string[] = [];
  const aRunner = (name: string) => ({
    name,
    async measure({ connections = 0, seconds = 0 }) {
      record.push(`${name}, ${connections} for ${seconds} s`);
      return { figures: { requestsPerSecond: 1, p50: 1, p99: 1 }, outcomes: {} };
    },
    [Symbol.asyncDispose]: async () => void record.push(`${name} stops`),
  });
  const scenarios = scenariosOf({ connections: [8], rates: [], syncDelays: [0, 3] });
  const samples = await inTurn(scenarios, {
    rounds: 2,
    seconds: 2,
    open: async (stack) => ['a', 'b'].map((name) => stack.use(aRunner(name))),
    prepare: ({ syncDelay }) => void record.push(`sync + ${syncDelay} ms`),
  });
  const first = ['a, 8 for 1 s', 'b, 8 for 1 s'];
  const second = first.toReversed();
  const stops = ['b stops', 'a stops'];
  expect(record).toEqual([
    ...['sync + 0 ms', ...first, ...second, 'sync + 3 ms', ...first, ...second, ...stops],
    ...['sync + 0 ms', ...second, ...first, 'sync + 3 ms', ...second, ...first, ...stops],
  ]);
  expect(samples.slice(0, 4).map(({ contestant, turn }) => `${contestant}${turn}`)).toEqual(['a1', 'b1', 'b2', 'a2']);
  expect(samples[4]).toMatchObject({ scenario: '8 connections, sync + 3 ms', round: 1 });
});
