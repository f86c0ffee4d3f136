import { expect, test } from 'vitest';
import { curve } from '../src/curve.ts';
import { report, type Sample } from '../src/report.ts';

const samples = (contestant: string, rate: number, figures: Record<string, readonly number[]>): readonly Sample[] =>
  (Object.values(figures)[0] ?? []).map((_, turn) => ({
    contestant,
    load: `${rate} requests/s`,
    rate,
    turn,
    figures: Object.fromEntries(Object.entries(figures).map(([title, values]) => [title, values[turn] ?? Number.NaN])),
  }));

test('ratios are medians of the ratios within a turn', () => {
  // The machine was twice as slow in the second turn, and three times in the third.
  const plain = samples('plain', 500, { 'p50 ms': [1, 2, 3] });
  const service = samples('plant-store', 500, { 'p50 ms': [0.5, 1, 6] });
  expect(report('', [...plain, ...service])).toMatch(/500 requests\/s, plant-store \/ plain \| +\| +0\.5 \|/);
});

test('a turn that does not count for one contestant is left out of its ratios', () => {
  const plain = samples('plain', 500, { 'p50 ms': [1, 2, 3] }).slice(1);
  const service = samples('plant-store', 500, { 'p50 ms': [9, 1, 1.5] });
  expect(report('', [...plain, ...service])).toMatch(/plant-store \/ plain \| +\| +0\.5 \|/);
});

const at = (contestant: string, rate: number, made: number, ms: number) =>
  samples(contestant, rate, {
    'requests/s': [made],
    'p50 ms': [ms],
    'p99 ms': [ms],
    'CPU µs': [ms],
    'database CPU µs': [ms],
  });
const line = (svg: string, colour: string) => new RegExp(`stroke="${colour}" d="(M40 .*)"`).exec(svg)?.[1];

test('a curve has logarithmic axes', () => {
  const svg = curve([
    ...at('plain', 100, 100, 1),
    ...at('plain', 1_000, 1_000, 10),
    ...at('plain', 10_000, 10_000, 99),
  ]);
  // From 40 to 260, and from 210 upwards to 50.
  expect(line(svg, '#888')).toBe('M40 210L150 130L260 50');
});

test('a curve has no point where a contestant does not sustain the rate', () => {
  const slow = [...at('plain', 100, 100, 1), ...at('plain', 1_000, 990, 1), ...at('plain', 10_000, 9_700, 1)];
  const svg = curve([...slow, ...at('plant-store', 100, 100, 1), ...at('plant-store', 10_000, 10_000, 1)]);
  expect(line(svg, '#888')).toBe('M40 210L150 210');
  expect(line(svg, '#009e73')).toBe('M40 210L260 210');
});

test.each([
  ['one rate', at('plain', 100, 100, 1)],
  ['rates that nobody sustains', [...at('plain', 100, 90, 1), ...at('plain', 500, 90, 1)]],
])('a curve of %s is refused', (_, figures) => {
  expect(() => curve(figures)).toThrow('a curve needs two rates');
});
