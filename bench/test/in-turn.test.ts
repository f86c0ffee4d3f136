import { expect, test } from 'vitest';
import type { Contestant } from '../src/contestants/contestant.ts';
import type { Resources } from '../src/resources.ts';
import type { Settings } from '../src/settings.ts';
import { inTurn } from '../src/suites/in-turn.ts';

const settings: Settings = {
  suite: 'comparison',
  only: undefined,
  against: undefined,
  rounds: 2,
  seconds: 2,
  warmUpSeconds: 1,
  connections: [1, 64],
  rates: undefined,
  ids: 'random',
  nameBytes: 18,
  duplicates: 0,
};

/** No contestant has a table. */
const resources = { generator: undefined as never } as unknown as Resources;

/** Records what is done with it; it makes this many requests per second. */
function aContestant(name: string, requestsPerSecond: number, record: string[]): Contestant {
  return {
    name,
    description: '',
    engine: undefined,
    async start() {
      record.push(`${name} starts`);
      return {
        async measure({ connections, seconds }) {
          record.push(`${name}, ${connections} for ${seconds} s`);
          return { requestsPerSecond, outcomes: {} };
        },
        stop: async () => void record.push(`${name} stops`),
      };
    },
  };
}

const scenario = (connections: number) => ({
  name: `${connections}`,
  load: { connections, seconds: 2, ids: 'random', nameBytes: 18, duplicates: 0 } as const,
});

test('contestants take turns of a second, each turn begins with another one', async () => {
  const record: string[] = [];
  const contestants = [aContestant('a', 100, record), aContestant('b', 50, record)];
  const samples = await inTurn(contestants, { ...settings, rounds: 1 }, resources, [scenario(1)]);
  expect(record).toEqual([
    'a starts',
    'a, 64 for 1 s',
    'b starts',
    'b, 64 for 1 s',
    ...['a, 1 for 1 s', 'b, 1 for 1 s'],
    ...['b, 1 for 1 s', 'a, 1 for 1 s'],
    'b stops',
    'a stops',
  ]);
  expect(samples.map(({ contestant, turn }) => `${contestant}${turn}`)).toEqual(['a1', 'b1', 'b2', 'a2']);
});

test('a contestant that was saturated in every turn is left out until the next round', async () => {
  const samples = await inTurn([aContestant('a', 100, []), aContestant('b', 50, [])], settings, resources, [
    { ...scenario(1), isLast: ({ requestsPerSecond }) => requestsPerSecond < 60 },
    scenario(2),
  ]);
  const taken = samples.map(({ contestant, scenario: load, round }) => `${round}: ${contestant} ${load}`);
  const ofRound = (round: number) => [`${round}: a 1`, `${round}: a 2`, `${round}: b 1`];
  expect([...new Set(taken)].toSorted()).toEqual([...ofRound(1), ...ofRound(2)]);
});

test('whatever fails, everything that was started is stopped', async () => {
  const record: string[] = [];
  const failing: Contestant = { ...aContestant('c', 1, []), start: () => Promise.reject(new Error('no start')) };
  const run = inTurn([aContestant('a', 100, record), failing], settings, resources, [scenario(1)]);
  await expect(run).rejects.toThrow('no start');
  expect(record.at(-1)).toBe('a stops');
});
