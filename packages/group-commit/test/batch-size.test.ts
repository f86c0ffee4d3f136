import { expect, test } from 'vitest';
import { batchSize } from '../src/batch-size.ts';

/** The sizes of batches, each as large as it may be, on an engine that takes so long for so many items. */
function sizesOn(takes: (items: number) => number, count: number): readonly number[] {
  const sizes = batchSize(500, 250);
  return Array.from({ length: count }, () => {
    const { most } = sizes;
    sizes.ended(most, takes(most));
    return most;
  });
}

test('batches that take too long because of their items become smaller, and stay so', () => {
  const sizes = sizesOn((items) => 2 + 8 * items, 40);
  expect(sizes.slice(0, 3)).toEqual([500, 31, 35]);
  for (const size of sizes.slice(1)) expect(size).toBeLessThan(40);
});

test('no batch is bound to fewer than eight', () => {
  expect(sizesOn((items) => 400 * items, 4)).toEqual([500, 8, 8, 8]);
});

test('where the commit takes long, whatever is in it, batches stay large', () => {
  for (const size of sizesOn(() => 600, 40)) expect(size).toBeGreaterThan(200);
});

test('once the engine is fast again, so are batches large', () => {
  const sizes = batchSize(500, 250);
  sizes.ended(500, 5_000);
  expect(sizes.most).toBe(25);
  for (let writes = 0; writes < 30; writes += 1) sizes.ended(sizes.most, 3);
  expect(sizes.most).toBe(500);
});

test('after writes that were in time, however few their items, the next burst is not bounded', () => {
  const sizes = batchSize(500, 250);
  sizes.ended(500, 5_000);
  for (let writes = 0; writes < 30; writes += 1) sizes.ended(1, 3);
  expect(sizes.most).toBe(500);
});
