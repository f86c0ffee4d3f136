import { expect, test } from 'vitest';
import { batchSize } from '../src/batch-size.ts';

/** The batch limits after the first slow batch and after 40 further writes, which are full batches by default. */
function sizesOn(takes: (items: number) => number, written = (most: number) => most) {
  const sizes = batchSize(500, 250);
  sizes.record(500, takes(500));
  const first = sizes.max;
  for (let writes = 0; writes < 40; writes += 1) sizes.record(written(sizes.max), takes(written(sizes.max)));
  return [first, sizes.max];
}

const slowOnce = (later: number) => {
  let writes = 0;
  return () => (writes++ === 0 ? 5_000 : later);
};

test.each([
  [
    'with slow items shrink, and stay small',
    (items: number) => 2 + 8 * items,
    31,
    expect.toSatisfy((size) => size > 20 && size < 40),
  ],
  ['with very slow items have eight items', (items: number) => 400 * items, 8, 8],
  ['with slow commits grow again', () => 600, 208, expect.toSatisfy((size) => size > 200)],
  ['on an engine that is fast again grow again', slowOnce(3), 25, 500],
])('batches %s', (_, takes, first, last) => {
  expect(sizesOn(takes)).toEqual([first, last]);
});

test('fast writes of few items are enough for batches to grow again', () => {
  expect(sizesOn(slowOnce(3), () => 1)).toEqual([25, 500]);
});
