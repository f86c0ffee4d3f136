import { describe, expect, test, vi } from 'vitest';
import { Overloaded, Unavailable } from '../src/errors.ts';
import { groupCommit } from '../src/group-commit.ts';
import type { GroupCommitLimits } from '../src/limits.ts';
import { virtualPlatform } from './virtual-platform.ts';

// Seconds of computing, on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

/** What a write of so many plants takes, in milliseconds. */
type Takes = (items: number) => number;

/** Callers at a steady rate on a store that takes its time, on a clock that jumps to what comes next. */
function setUp(takes: Takes, limits: GroupCommitLimits = {}) {
  const { platform, step } = virtualPlatform();
  const { now, after, sleep } = platform;
  let nextId = 0;
  const store = { takes };
  const write = (items: number) => sleep(store.takes(items));
  const { submit } = groupCommit<number, number, string>(
    {
      write: (batch) => write(batch.length).then(() => batch.map(() => ({ done: 'added' }))),
      probe: () => write(0),
      close: async () => {},
    },
    { keyOf: (id) => id },
    { maxBatch: 500, maxWaiting: 20_000, maxWrites: 2, maxWaitMs: 200, timeoutMs: 2_000, ...limits },
    {},
    platform,
  );
  async function addOne(answers: Answer[]): Promise<void> {
    const sent = now();
    nextId += 1;
    const failure = await submit(nextId).then(
      () => undefined,
      (error: unknown) => error,
    );
    answers.push({ sent, took: now() - sent, failure });
  }

  return {
    store,
    /** So many adds a second, for so many milliseconds, and their answers. */
    async load(perSecond: number, ms: number): Promise<Answers> {
      const answers: Answer[] = [];
      const count = Math.round((perSecond * ms) / 1_000);
      const arrive = (left: number): void => {
        void addOne(answers);
        if (left > 1) after(1_000 / perSecond, () => arrive(left - 1));
      };
      arrive(count);
      while (answers.length < count && (await step()));
      return new Answers(answers);
    },
  };
}

interface Answer {
  readonly sent: number;
  readonly took: number;
  readonly failure: unknown;
}

class Answers {
  readonly all: readonly Answer[];
  constructor(all: readonly Answer[]) {
    this.all = all;
  }

  get accepted(): readonly number[] {
    return timesOf(this.all.filter(({ failure }) => failure === undefined));
  }

  get overloaded(): readonly number[] {
    return timesOf(this.all.filter(({ failure }) => failure instanceof Overloaded));
  }

  get unavailable(): readonly number[] {
    const { all } = this;
    return timesOf(all.filter(({ failure }) => failure instanceof Unavailable && !(failure instanceof Overloaded)));
  }
}

/** In milliseconds, the shortest first. */
function timesOf(answers: readonly Answer[]): readonly number[] {
  return answers.map(({ took }) => took).sort((a, b) => a - b);
}

function most(times: readonly number[]): number | undefined {
  return times[Math.floor(0.99 * times.length)];
}

/** Stores, the most adds a second that each carries, and what a write of a single plant takes. */
const stores: [string, Takes, number, number][] = [
  ['2 ms a write, 0.5 ms a plant', (plants) => 2 + 0.5 * plants, 3_800, 2],
  ['1 ms a write, 4 ms a plant', (plants) => 1 + 4 * plants, 480, 5],
  ['1 ms a write, 20 ms a plant', (plants) => 1 + 20 * plants, 96, 21],
  ['50 ms a write, 1 ms a plant', (plants) => 50 + plants, 1_500, 51],
  ['150 ms a write, whatever is in it', () => 150, 6_000, 150],
  ['300 ms a write, whatever is in it', () => 300, 3_000, 300],
];

describe.each(stores)('a store that takes %s', (_, takes, carries, alone) => {
  test('refuses no add that it can carry', async () => {
    const { load } = setUp(takes);
    await load(10, 1_000);
    const { all, accepted } = await load(0.8 * carries, 1_000);
    expect(accepted).toHaveLength(all.length);
    expect(most(accepted)).toBeLessThanOrEqual(200 + 2 * alone);
  });

  test.each([2, 5])(
    'answers what it accepts in time, and refuses the rest in milliseconds, at %s times the load',
    async (times) => {
      const { load } = setUp(takes);
      const first = await load(times * carries, 1_000);
      expect(first.unavailable).toEqual([]);
      const { all, accepted, overloaded } = await load(times * carries, 1_000);
      expect(accepted.length + overloaded.length).toBe(all.length);
      expect(accepted.length).toBeGreaterThan(0.8 * carries);
      // Its turn, and its own write, which takes half of that at the most.
      expect(accepted.at(-1)).toBeLessThanOrEqual(1.5 * 200 + 2 * alone);
      expect(most(overloaded)).toBeLessThanOrEqual(5);
    },
  );

  test('admits everything again as soon as it is fast again', async () => {
    const { load, store } = setUp(takes);
    await load(5 * carries, 500);
    store.takes = (plants) => 1 + 0.01 * plants;
    await load(1_000, 100);
    const { all, accepted } = await load(10_000, 300);
    expect(accepted).toHaveLength(all.length);
  });
});

test('a burst that the store writes in time is not refused', async () => {
  const { load } = setUp((plants) => 2 + 0.02 * plants);
  await load(100, 1_000);
  const { accepted } = await load(1_000_000, 2);
  expect(accepted).toHaveLength(2_000);
});

test('a few milliseconds more do not count as the cost of the plants', async () => {
  const { load } = setUp((plants) => (plants > 4 ? 10 : 2));
  await load(4_000, 500);
  const { all, accepted } = await load(1_000_000, 2);
  expect(accepted).toHaveLength(all.length);
});

test('one pause refuses no add, whatever is being written then', async () => {
  const quick: Takes = (plants) => 2 + 0.02 * plants;
  const { load, store } = setUp(quick);
  await load(10_000, 500);
  let paused = 0;
  store.takes = (plants) => {
    if (plants <= 4) return quick(plants);
    paused += 1;
    return paused <= 2 ? 400 : quick(plants);
  };
  const { all, accepted } = await load(10_000, 1_000);
  expect(paused).toBeGreaterThan(2);
  expect(accepted).toHaveLength(all.length);
});

/** Writes of single plants first, which go on as the test says, and then more adds at once than would wait for a pause. */
async function burstAfter(pauses: (setting: ReturnType<typeof setUp>) => Promise<void>): Promise<Answers> {
  const quick: Takes = (plants) => 2 + 0.02 * plants;
  const setting = setUp(quick);
  await setting.load(100, 100);
  await pauses(setting);
  setting.store.takes = quick;
  return setting.load(1_000_000, 4);
}

test('one pause that two small writes meet refuses no add of the next burst', async () => {
  const { all, accepted } = await burstAfter(async ({ load, store }) => {
    store.takes = () => 400;
    await load(1_000, 2);
  });
  expect(accepted).toHaveLength(all.length);
});

test('neither does a small write that is stuck beside quick ones, and a pause next', async () => {
  const { all, accepted } = await burstAfter(async ({ load, store }) => {
    let writes = 0;
    store.takes = () => (writes++ === 0 ? 300 : 2);
    await load(100, 300);
    store.takes = () => 300;
    await load(1_000, 1);
  });
  expect(accepted).toHaveLength(all.length);
});

test('a store whose first burst meets a pause refuses no add of the next burst', async () => {
  const { load, store } = setUp(() => 250);
  await load(1_000_000, 0.1);
  store.takes = (plants) => 2 + 0.02 * plants;
  const { all, accepted } = await load(1_000_000, 0.3);
  expect(accepted).toHaveLength(all.length);
});

test('slow writes of long ago are forgotten, however little was written since', async () => {
  const { load, store } = setUp((plants) => 1 + 4 * plants);
  await load(4_800, 1_000);
  store.takes = (plants) => 2 + 0.02 * plants;
  await load(10, 2_000);
  const { all, accepted } = await load(1_000_000, 1);
  expect(accepted).toHaveLength(all.length);
});

test('when all writes become equally slow, batches do not shrink', async () => {
  const { load, store } = setUp((plants) => 2 + 0.02 * plants);
  await load(2_000, 500);
  store.takes = () => 300;
  await load(1_000, 2_000);
  const { all, accepted } = await load(1_000, 1_000);
  expect(accepted).toHaveLength(all.length);
});

test('one stuck write refuses no add while others succeed', async () => {
  let writes = 0;
  const { load } = setUp(() => (writes++ === 0 ? 1_900 : 2));
  const stuck = load(1, 1_000);
  const { all, accepted } = await load(1_000, 1_000);
  expect(accepted).toHaveLength(all.length);
  expect((await stuck).accepted).toEqual([1_900]);
});

test('while no write ends, late adds are refused at once, and early ones time out', async () => {
  const { load, store } = setUp(() => 5);
  await load(100, 100);
  store.takes = () => 10_000;
  const { all, accepted, overloaded, unavailable } = await load(100, 1_900);
  expect(accepted).toEqual([]);
  expect(overloaded.length + unavailable.length).toBe(all.length);
  expect(overloaded.at(-1)).toBe(0);
  expect(unavailable[0]).toBe(2_000);
  // Two are being written, and the first of the others has waited for 1 s when the next one is refused.
  expect(unavailable.length).toBeGreaterThan(100);
  expect(unavailable.length).toBeLessThan(105);
});

test('a store that recovers is used again', async () => {
  const { load, store } = setUp(() => 5);
  store.takes = () => 10_000;
  await load(100, 1_000);
  store.takes = () => 5;
  // The probe that hangs delays the next one for 5 s.
  await load(10, 6_000);
  const { all, accepted } = await load(100, 1_000);
  expect(accepted).toHaveLength(all.length);
});
