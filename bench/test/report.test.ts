import { expect, test } from 'vitest';
import { report, type Sample } from '../src/report.ts';

/** Samples of a contestant under one load, a turn each. */
function makeSamples(contestant: string, rate: number, made: number, ...milliseconds: number[]): readonly Sample[] {
  const of = { contestant, store: 'postgres', load: `${rate} requests/s`, rate };
  return milliseconds.map((ms, turn) => ({ ...of, turn, figures: { 'requests/s': made, 'p50 ms': ms, 'p99 ms': ms } }));
}

test('ratios are medians of the ratios within a turn, without turns that one of the two lacks', () => {
  // The machine was twice as slow in the third turn, and three times in the fourth.
  const plain = makeSamples('plain', 500, 500, 9, 1, 2, 3).slice(1);
  const service = makeSamples('plant-store', 500, 500, 1, 0.5, 1, 6);
  const [, , ofPlain, ofService] = report('', [...plain, ...service]).match(/^\|.*/gm) ?? [];
  expect(ofPlain).toMatch(/500 requests\/s, plain \| +500 \| +2 \| +2 \| +1 \| +0\.5 \| +0\.5 \|/);
  expect(ofService).toMatch(/plant-store \| +500 \| +1 \| +1 \|[ |]+$/);
});
