import { expect, test } from 'vitest';
import { evaluateGoals } from '../src/report/goals.ts';
import { type Sample, summarise } from '../src/samples.ts';

function aSample(contestant: string, round: number, requestsPerSecond: number): Sample {
  return { contestant, scenario: '64 connections', round, measurement: { requestsPerSecond, outcomes: { '200': 10 } } };
}

test('a figure is the median of its rounds, and outcomes are added up', () => {
  const summaries = summarise([1, 100, 3].map((figure, round) => aSample('pgbench', round, figure)));
  expect(summaries).toMatchObject([
    { contestant: 'pgbench', rounds: 3, requestsPerSecond: 3, outcomes: { '200': 30 } },
  ]);
  expect(summaries[0]?.p50).toBeUndefined();
});

test.each([
  [400, true],
  [399, false],
])('a goal of 4 against 100 is evaluated at %d', (requestsPerSecond, met) => {
  const summaries = summarise([aSample('service-postgres', 1, requestsPerSecond), aSample('fastify-kysely', 1, 100)]);
  expect(evaluateGoals(summaries)).toMatchObject([{ wanted: '≥ 4', ratio: requestsPerSecond / 100, met }]);
});

test('a goal is not evaluated if the run lacks one of its figures', () => {
  expect(evaluateGoals(summarise([aSample('service-postgres', 1, 100)]))).toEqual([]);
});
