import { expect, test } from 'vitest';
import { evaluateGoals } from '../src/report/goals.ts';
import { quantile, type Sample, summarise } from '../src/samples.ts';

function aSample(contestant: string, turn: number, requestsPerSecond: number): Sample {
  const measurement = { requestsPerSecond, outcomes: { '200': 10 } };
  return { contestant, scenario: '64 connections', round: 1, turn, measurement };
}

test('a figure is the median of its samples, and outcomes are added up', () => {
  const summaries = summarise([1, 100, 3].map((figure, turn) => aSample('pgbench', turn, figure)));
  expect(summaries).toMatchObject([{ contestant: 'pgbench', requestsPerSecond: 3, outcomes: { '200': 30 } }]);
  expect(summaries[0]?.p50).toBeUndefined();
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
  [400, true],
  [399, false],
])('a goal of 4 against 100 is evaluated at %d', (requestsPerSecond, met) => {
  const samples = [aSample('service-postgres', 1, requestsPerSecond), aSample('fastify-kysely', 1, 100)];
  expect(evaluateGoals(samples)).toMatchObject([{ wanted: '≥ 4', ratio: requestsPerSecond / 100, met }]);
});

test('ratios are of figures of the same turn', () => {
  const turns = [
    [400, 100],
    [200, 40],
    [900, 300],
    [100, 20],
  ] as const;
  const samples = turns.flatMap(([ours, other], turn) => [
    aSample('service-postgres', turn, ours),
    aSample('fastify-kysely', turn, other),
  ]);
  const goal = { ratio: 4.5, lowerQuartile: 3.75, upperQuartile: 5, met: true };
  expect(evaluateGoals(samples)).toMatchObject([goal]);
});

test('a goal is not evaluated if the run lacks one of its figures', () => {
  expect(evaluateGoals([aSample('service-postgres', 1, 100), aSample('fastify-kysely', 2, 100)])).toEqual([]);
});
