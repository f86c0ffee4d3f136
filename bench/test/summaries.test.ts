import { expect, test } from 'vitest';
import { contestants, withServiceOf } from '../src/contestants/contestants.ts';
import { compareCheckouts, evaluateGoals, goals } from '../src/report/goals.ts';
import { quantile, type Sample, summarise } from '../src/samples.ts';
import { scenariosOf, suites } from '../src/suites/suites.ts';

function aSample(contestant: string, turn: number, requestsPerSecond: number): Sample {
  const figures = { requestsPerSecond, p50: 1, p99: 1 };
  return { contestant, scenario: '64 connections, sync + 1 ms', round: 1, turn, figures, outcomes: { '200': 10 } };
}

test('a figure is the median of its samples, and outcomes are added up', () => {
  const [summary] = summarise([1, 100, 3].map((figure, turn) => aSample('bare', turn, figure)));
  expect(summary).toMatchObject({ contestant: 'bare', outcomes: { '200': 30 } });
  expect(summary?.figures).toEqual({ requestsPerSecond: 3, p50: 1, p99: 1 });
});

test.each([
  [[7], 0.25, 7],
  [[4, 1, 2, 3], 0.5, 2.5],
  [[1, 2, 3, 4, 5], 0.25, 2],
  [[1, 2], 0.75, 1.75],
  [[], 0.5, undefined],
])('the quantile of %j at %d', (values, share, expected) => {
  expect(quantile(values, share)).toBe(expected);
});

test.each([
  [320, true],
  [319, false],
])('a goal of 3.2 against 100 is evaluated at %d', (requestsPerSecond, met) => {
  const samples = [aSample('service-mysql', 1, requestsPerSecond), aSample('bare-mysql', 1, 100)];
  expect(evaluateGoals('mysql', samples)).toMatchObject([{ wanted: '≥ 3.2', met }]);
  expect(evaluateGoals('disk', samples)).toEqual([]);
});

test('ratios are of figures of the same turn', () => {
  const turns = [
    [400, 100],
    [200, 40],
    [900, 300],
    [100, 20],
  ] as const;
  const samples = turns.flatMap(([ours, other], turn) => [
    aSample('service-mysql', turn, ours),
    aSample('other-mysql', turn, other),
    aSample('bare-mysql', turn + 4, other),
  ]);
  expect(compareCheckouts(samples)[0]).toMatchObject({ figure: 'requestsPerSecond', quartiles: [3.75, 4.5, 5] });
  expect(evaluateGoals('mysql', samples)).toEqual([]);
});

test('every goal is of a scenario of its suite, and of contestants that take part', () => {
  for (const [suite, scenario, , ...sides] of goals) {
    expect(scenariosOf(suites[suite]).map(({ name }) => name)).toContain(scenario);
    expect(suites[suite].contestants).toEqual(expect.arrayContaining(sides.slice(0, 2)));
  }
  const known = contestants.map(({ name }) => name);
  for (const suite of Object.values(suites)) expect(known).toEqual(expect.arrayContaining([...suite.contestants]));
});

test('beside each chosen service stands that of another checkout, and beside nothing else', () => {
  const chosen = contestants.filter(({ name }) => ['service-sqlite', 'bare'].includes(name));
  const names = withServiceOf('/another/checkout', chosen).map(({ name }) => name);
  expect(names).toEqual(['service-sqlite', 'other-sqlite', 'bare']);
});
