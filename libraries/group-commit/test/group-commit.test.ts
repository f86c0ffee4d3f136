import { expect, onTestFinished, test, vi } from 'vitest';
import type { BatchEngine } from '../src/batch-engine.ts';
import { Overloaded, Unavailable } from '../src/errors.ts';
import type { GroupCommitEvents } from '../src/events.ts';
import { groupCommit } from '../src/group-commit.ts';
import { type GroupCommitLimits, groupCommitLimits, parseLimits } from '../src/limits.ts';
import { processPlatform } from '../src/platform.ts';
import { virtualPlatform } from './virtual-platform.ts';

// Covers what the simulation does not: rates in virtual time, messages, and the order of what is written again.

type Engine = BatchEngine<number, 'stored'>;
type Sleep = (ms: number) => Promise<void>;

/** Starts a group commit of numbers, over an engine that stores everything by default, on a virtual platform. */
function start(
  createEngine: (sleep: Sleep) => Partial<Engine>,
  limits?: GroupCommitLimits,
  events?: GroupCommitEvents,
) {
  const virtual = virtualPlatform();
  const write: Engine['write'] = async (items) => items.map(() => 'stored');
  const engine = { write, probe: async () => {}, close: async () => {}, ...createEngine(virtual.sleep) };
  const store = groupCommit<number, number, 'stored'>(engine, { toKey: (id) => id }, limits, events, virtual.platform);
  return { ...virtual, store };
}

/** An engine that refuses or locks even items. It blames these alone, or each item that it writes with them. */
const blaming = (message: 'refused' | 'locked', whom: 'item' | 'batch') => (sleep: Sleep) => ({
  async write(items: readonly number[]) {
    const isBlamed = (item: number) => item % 2 === 0;
    const hasBlamed = items.some(isBlamed);
    await sleep(hasBlamed ? BLAMING_MS[message] : 1.5 + 0.05 * items.length);
    const isStored = (item: number) => (whom === 'item' || !hasBlamed) && !isBlamed(item);
    return items.map((item) => (isStored(item) ? 'stored' : new Error(message)));
  },
  classify: () => message,
});

/** How long an engine waits for a lock, and how soon it knows that an item is refused. */
const BLAMING_MS = { locked: 50, refused: 0.5 };

/** The items of 64 clients that are stored and that fail in a second, while other clients send even items. Each sends one after the other. */
async function countBeside(others: readonly number[], createEngine: (sleep: Sleep) => Partial<Engine>) {
  const { store, platform, advance } = start(createEngine);
  const counts = { stored: 0, failed: 0 };
  async function send(number: number, step: number): Promise<void> {
    for (let id = number; platform.now() < 1_000; id += step) {
      const count = (outcome: keyof typeof counts) => () => {
        counts[outcome] += number % 2;
      };
      await store.submit(id).then(count('stored'), count('failed'));
    }
  }
  for (let client = 0; client < 64; client += 1) void send(2 * client + 1, 128);
  for (const item of others) void send(item, 0);
  await advance(3_000);
  return counts;
}

test.each(['item', 'batch'] as const)(
  'P4/F5 one locked item leaves 64 clients four fifths of their rate, and gives them no error, if the engine blames the %s',
  async (whom) => {
    const { stored: alone } = await countBeside([], blaming('locked', whom));
    const { stored, failed } = await countBeside([2], blaming('locked', whom));
    expect(stored / alone).toBeGreaterThan(0.8);
    expect(failed).toBe(0);
  },
);

test('P4/F6 four clients whose items are refused leave 64 others 0.4 of their rate', async () => {
  const { stored: alone } = await countBeside([], blaming('refused', 'batch'));
  const { stored, failed } = await countBeside([2, 4, 6, 8], blaming('refused', 'batch'));
  expect(stored / alone).toBeGreaterThan(0.4);
  expect(failed).toBe(0);
});

test.each([
  ['end at their deadline', (takesMs: number, leftMs: number) => Math.min(takesMs, leftMs)],
  ['do not end', (takesMs: number) => takesMs],
])('P6/F9 an engine of 8 ms an item keeps most of its rate in an overload, if its late calls %s', async (_, wait) => {
  const { store, platform, advance } = start((sleep) => ({
    async write(items, deadline) {
      const leftMs = deadline - platform.now();
      const takesMs = 8 * items.length;
      await sleep(wait(takesMs, leftMs));
      if (takesMs > leftMs) throw new Error('cancelled');
      return items.map(() => 'stored');
    },
    classify: () => 'transient',
  }));
  let stored = 0;
  let id = 0;
  const onStored = () => {
    stored += platform.now() > 3_000 ? 1 : 0;
  };
  async function load(): Promise<void> {
    for (; platform.now() < 5_000; id += 1) {
      store.submit(id).then(onStored, () => {});
      await new Promise<void>((resolve) => void platform.after(1, resolve));
    }
  }
  void load();
  await advance(5_000);
  // Two writes of 8 ms an item, for 2 s.
  expect(stored).toBeGreaterThan(0.8 * 500);
});

test('what is written again comes before what is younger', async () => {
  const written: (readonly number[])[] = [];
  const { store, advance } = start(
    (sleep) => ({
      async write(items) {
        written.push(items);
        await sleep(100);
        if (written.length === 1) throw new Error('lost');
        return items.map(() => 'stored');
      },
      classify: () => 'transient',
    }),
    { maxWrites: 1, maxBatch: 2 },
  );
  for (const id of [1, 2, 3, 4, 5]) void store.submit(id);
  await advance(1_000);
  expect(written).toEqual([[1, 2], [3, 4], [1, 2], [5]]);
});

test.each<[string, Partial<Engine>, readonly string[]]>([
  [
    'does not respond',
    { write: () => new Promise(() => {}) },
    Array(2).fill('Unavailable: no response within 2000 ms'),
  ],
  [
    'gives too few results',
    { write: async () => ['stored'] },
    Array(2).fill('Error: the engine gave 1 results for 2 items'),
  ],
  ['throws what is no error', { write: () => Promise.reject('down') }, Array(2).fill('Error: down')],
  [
    'has locked an item for ever',
    {
      write: async (items) => items.map((id) => (id === 1 ? new Error('locked') : 'stored')),
      classify: () => 'locked',
    },
    ['Error: locked', 'stored'],
  ],
])('if an engine %s, its callers are told so', async (_, engine, expected) => {
  const { store, advance } = start(() => engine);
  const results = Promise.all([1, 2].map((id) => store.submit(id).catch(String)));
  await advance(2_100);
  expect(await results).toEqual(expected);
});

test('the error of an overload has the number of callers, and how long the oldest item has waited', async () => {
  const { store, advance } = start(() => ({ write: () => new Promise(() => {}) }), { maxWaiting: 2, maxWrites: 1 });
  for (const id of [1, 2]) store.submit(id).catch(() => {});
  await advance(10);
  const error = await store.submit(3).catch((each) => each);
  expect([error instanceof Overloaded, error instanceof Unavailable, String(error)]).toEqual([
    true,
    true,
    'Overloaded: 2 items are waiting, the oldest for 0 ms',
  ]);
});

test('events are called as methods of their object, which may be a class instance', async () => {
  class Figures implements GroupCommitEvents {
    readonly reported: string[] = [];
    watchWaiting(count: () => number) {
      this.reported.push(`${count()} waiting`);
    }
    wrote(outcome: string, items: number, seconds: number) {
      this.reported.push(`${outcome} ${items} in ${seconds} s`);
    }
    retried() {
      this.reported.push('retried');
    }
    health(failure: Error | undefined) {
      this.reported.push(`${failure}`);
    }
  }
  const figures = new Figures();
  const write = vi.fn<Engine['write']>().mockRejectedValueOnce(new Error('lost')).mockResolvedValue(['stored']);
  const { store, advance } = start(() => ({ write, classify: () => 'transient' }), {}, figures);
  const result = store.submit(1);
  await advance(100);
  expect(await result).toBe('stored');
  expect(figures.reported).toEqual(['0 waiting', 'undefined', 'failed 1 in 0 s', 'retried', 'done 1 in 0 s']);
});

test('a timer calls back unless it is cancelled, and keeps the process alive if it is asked to', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  const called: string[] = [];
  processPlatform.after(1, () => called.push('cancelled'))();
  processPlatform.after(1, () => called.push('kept'));
  await new Promise<void>((resolve) => void processPlatform.after(5, resolve, true));
  expect(timers.mock.results.map(({ value }) => value.hasRef())).toEqual([false, false, true]);
  expect(called).toEqual(['kept']);
});

test.each<[GroupCommitLimits, string]>([
  [{ maxBatch: 0 }, 'maxBatch is 0'],
  [{ timeoutMs: Number.NaN }, 'timeoutMs is NaN'],
  [{ maxWaitMs: 1.5 }, 'maxWaitMs is 1.5'],
  [{ maxWaiting: 2 ** 31 }, 'maxWaiting is 2147483648'],
])('the limits %o are rejected, and the longest timeout of a timer is accepted', (limits, found) => {
  const error = new RangeError(`${found}; expected a whole number from 1 to 2147483647`);
  expect(() => start(() => ({}), limits)).toThrow(error);
  expect(parseLimits(groupCommitLimits, { timeoutMs: 2 ** 31 - 1 })).toHaveProperty('timeoutMs', 2 ** 31 - 1);
});
