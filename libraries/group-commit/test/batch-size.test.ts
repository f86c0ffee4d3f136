import { expect, test } from 'vitest';
import { batchSize } from '../src/batch-size.ts';

/** How large batches may be on an engine, of which each is as large as it may be, once one has taken too long. */
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
    'whose items take long become smaller, and stay so',
    (items: number) => 2 + 8 * items,
    31,
    expect.toSatisfy((size) => size > 20 && size < 40),
  ],
  ['whose items take even longer are of eight', (items: number) => 400 * items, 8, 8],
  [
    'whose commits take long, whatever is in them, are large again',
    () => 600,
    208,
    expect.toSatisfy((size) => size > 200),
  ],
  ['on an engine that is quick again are large again', slowOnce(3), 25, 500],
])('batches %s', (_, takes, first, last) => {
  expect(sizesOn(takes)).toEqual([first, last]);
});

test('few items that are written in time are enough to have large batches again', () => {
  expect(sizesOn(slowOnce(3), () => 1)).toEqual([25, 500]);
});
