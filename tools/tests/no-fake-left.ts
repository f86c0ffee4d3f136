import { afterAll, expect } from 'vitest';

/** What tests replace, as it was before the first file of this worker. */
const holder = globalThis as unknown as Record<symbol, ReturnType<typeof current>>;
const key = Symbol.for('plant-store: what tests replace');
holder[key] ??= current();

// A worker takes one file after another: where a fake clock stays, a test of another package waits for ever.
afterAll(() => {
  const now = Object.entries(current());
  const real = Object.values(holder[key] ?? {});
  expect(now.filter(([, value], at) => value !== real[at]).map(([name]) => name)).toEqual([]);
});

function current() {
  const { setTimeout, clearTimeout, setInterval, setImmediate, fetch, Date: date } = globalThis;
  return {
    setTimeout,
    clearTimeout,
    setInterval,
    setImmediate,
    fetch,
    date,
    now: performance.now,
    random: Math.random,
  };
}
