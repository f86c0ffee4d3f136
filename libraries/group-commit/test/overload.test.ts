import { expect, test } from 'vitest';
import { Overloaded } from '../src/errors.ts';
import type { Platform } from '../src/platform.ts';
import { added, start } from './start.ts';

/** The duration of a write by its number of items, in milliseconds. */
type Takes = (items: number) => number;

/** Sends `perSecond` items a second for `ms` milliseconds, and sorts the results of those sent at or after `since`. */
async function load(takes: Takes, perSecond: number, ms: number, since = 0) {
  const { results, send, step, platform } = start(({ sleep }) => ({
    async write(items) {
      await sleep(takes(items.length));
      return items.map(() => added);
    },
  }));
  // One timer at a time, because the platform moves all timers when the first one fires.
  const sendFrom = (at: number): void => {
    if (at >= (perSecond * ms) / 1_000) return;
    platform.after((at * 1_000) / perSecond - platform.now(), () => {
      void send();
      sendFrom(at + 1);
    });
  };
  sendFrom(0);
  while (await step());
  const counted = results.filter(({ sent }) => sent >= since);
  const longest = (some: typeof results) => Math.max(0, ...some.map(({ took }) => took));
  const accepted = counted.filter(({ error }) => error === undefined);
  const overloaded = counted.filter(({ error }) => error instanceof Overloaded);
  return { accepted, overloaded, others: counted.length - accepted.length - overloaded.length, longest };
}

/**
 * Each engine with its throughput in items per second, with two writes in flight, and its longest response in an overload. The
 * first batch of the last engine has the full size and is slow.
 */
const engines: [string, Takes, number, number][] = [
  ['2 ms a write and 0.5 ms an item', (items) => 2 + 0.5 * items, 3_968, 1_300],
  ['150 ms a write', () => 150, 6_667, 1_000],
  ['400 ms a write', () => 400, 2_500, 1_700],
  ['8 ms an item', (items) => 2 + 8 * items, 240, 1_300],
];

test.each(engines.slice(0, 3))(
  'an engine that takes %s refuses nothing while it keeps up',
  async (_, takes, carries) => {
    const { overloaded, others } = await load(takes, 0.8 * carries, 2_000);
    expect([overloaded.length, others]).toEqual([0, 0]);
  },
);

test.each(engines)(
  'an engine that takes %s keeps its throughput in an overload, responds in time, and rejects the rest at once',
  async (_, takes, carries, longestMs) => {
    const { accepted, overloaded, others, longest } = await load(takes, 2 * carries, 6_000, 3_000);
    expect(accepted.length).toBeGreaterThan(0.9 * 3 * carries);
    expect(longest(accepted)).toBeLessThanOrEqual(longestMs);
    expect(longest(overloaded)).toBe(0);
    expect([overloaded.length > 0, others]).toEqual([true, 0]);
  },
);

test('large items leave room for small ones: they are rejected if the queue would take longer than maxWaitMs', async () => {
  // Every second item is large; ten of them make a batch.
  const sizeOf = (id: number) => (id % 2 === 0 ? 10 : 0);
  const limits = { maxBatch: 100, maxBatchSize: 100, maxWaitMs: 250 };
  const slow = ({ sleep }: Platform) => ({
    async write(items: readonly number[]) {
      await sleep(20 * items.filter((id) => sizeOf(id) > 0).length);
      return items.map(() => added);
    },
  });
  const { results, send, step, platform } = start(slow, limits, {}, { keyOf: (id) => id, sizeOf });
  for (let at = 0; at < 1_000; at += 1) platform.after(4 * at, () => void send());
  while (await step());
  const isSmall = ({ id }: { readonly id: number }) => sizeOf(id) === 0;
  const stored = results.filter(({ error }) => error === undefined);
  expect(stored.filter(isSmall)).toHaveLength(500);
  // Two writes of 20 ms an item at once, for four seconds.
  expect(stored.length - 500).toBeGreaterThan(0.9 * 400);
  expect(results.length).toBe(1_000);
});

test('the error of a full queue has its length, and how long its oldest item has waited', async () => {
  const { overloaded } = await load(() => 100, 1_000_000, 3);
  for (const { error } of overloaded)
    expect(String(error)).toMatch(/^Overloaded: 2000 items are waiting for the engine, the oldest for \d+ ms$/);
  expect(overloaded).not.toHaveLength(0);
});

test.each([
  ['a pause of all writes that is shorter than maxWaitMs', 2, 490],
  ['one stuck write while others succeed', 1, 1_900],
])('%s refuses nothing', async (_, stuck, ms) => {
  let writes = 0;
  const { overloaded, others } = await load((items) => (writes++ < stuck ? ms : 2 + 0.02 * items), 2_000, 1_000);
  expect([overloaded.length, others]).toEqual([0, 0]);
});
