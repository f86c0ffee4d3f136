import { describe, expect, test, vi } from 'vitest';
import { Overloaded, Unavailable } from '../src/errors.ts';
import { groupCommit } from '../src/group-commit.ts';
import { virtualPlatform } from './virtual-platform.ts';

// Seconds of computing, on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

/** What a write of so many items takes, in milliseconds. */
type Takes = (items: number) => number;

/** Callers at a steady rate on an engine that takes its time, on a clock that jumps to what comes next. */
function setUp(takes: Takes) {
  const { platform, step } = virtualPlatform();
  const { now, after, sleep } = platform;
  let nextId = 0;
  const engine = { takes };
  const write = (items: number) => sleep(engine.takes(items));
  const { submit } = groupCommit<number, number, string>(
    {
      write: (batch) => write(batch.length).then(() => batch.map(() => ({ done: 'added' }))),
      probe: () => write(0),
      close: async () => {},
    },
    { keyOf: (id) => id },
    { maxBatch: 500, maxWaiting: 20_000, maxWrites: 2, maxWaitMs: 200, timeoutMs: 2_000 },
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
    answers.push({ took: now() - sent, failure });
  }

  return {
    engine,
    /** So many items a second, for so many milliseconds, and their answers. */
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

  expectAllAccepted(): void {
    expect(this.accepted).toHaveLength(this.all.length);
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

/** Engines, the most items a second that each carries, and what a write of a single item takes. */
const engines: [string, Takes, number, number][] = [
  ['2 ms a write, 0.5 ms an item', (items) => 2 + 0.5 * items, 3_800, 2],
  ['1 ms a write, 4 ms an item', (items) => 1 + 4 * items, 480, 5],
  ['1 ms a write, 20 ms an item', (items) => 1 + 20 * items, 96, 21],
  ['50 ms a write, 1 ms an item', (items) => 50 + items, 1_500, 51],
  ['150 ms a write, whatever is in it', () => 150, 6_000, 150],
  ['300 ms a write, whatever is in it', () => 300, 3_000, 300],
];

describe.each(engines)('an engine that takes %s', (_, takes, carries, alone) => {
  test('refuses nothing that it can carry', async () => {
    const { load } = setUp(takes);
    await load(10, 1_000);
    const answers = await load(0.8 * carries, 1_000);
    answers.expectAllAccepted();
    expect(most(answers.accepted)).toBeLessThanOrEqual(200 + 2 * alone);
  });

  test.each([2, 5])(
    'at %s times that load answers what it accepts in time, the rest in milliseconds',
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
    const { load, engine } = setUp(takes);
    await load(5 * carries, 500);
    engine.takes = (items) => 1 + 0.01 * items;
    await load(1_000, 100);
    (await load(10_000, 300)).expectAllAccepted();
  });
});

const quick: Takes = (items) => 2 + 0.02 * items;

test.each<[string, (setting: ReturnType<typeof setUp>) => Promise<unknown>, [number, number]]>([
  ['a burst that is written in time', ({ load }) => load(100, 1_000), [1_000_000, 2]],
  [
    'a burst after writes that took a few milliseconds more with more items',
    ({ load, engine }) => {
      engine.takes = (items) => (items > 4 ? 10 : 2);
      return load(4_000, 500);
    },
    [1_000_000, 2],
  ],
  [
    'items while two large writes meet a pause',
    async ({ load, engine }) => {
      await load(10_000, 500);
      let paused = 0;
      engine.takes = (items) => (items > 4 && ++paused <= 2 ? 400 : quick(items));
    },
    [10_000, 1_000],
  ],
  [
    'a burst after a pause that two small writes met',
    async ({ load, engine }) => {
      await load(100, 100);
      engine.takes = () => 400;
      await load(1_000, 2);
      engine.takes = quick;
    },
    [1_000_000, 4],
  ],
  [
    'a burst after a small write that was stuck beside quick ones, and a pause',
    async ({ load, engine }) => {
      await load(100, 100);
      let writes = 0;
      engine.takes = () => (writes++ === 0 ? 300 : 2);
      await load(100, 300);
      engine.takes = () => 300;
      await load(1_000, 1);
      engine.takes = quick;
    },
    [1_000_000, 4],
  ],
  [
    'a burst after a first one that met a pause',
    async ({ load, engine }) => {
      engine.takes = () => 250;
      await load(1_000_000, 0.1);
      engine.takes = quick;
    },
    [1_000_000, 0.3],
  ],
  [
    'a burst long after slow writes, however little was written since',
    async ({ load, engine }) => {
      engine.takes = (items) => 1 + 4 * items;
      await load(4_800, 1_000);
      engine.takes = quick;
      await load(10, 2_000);
    },
    [1_000_000, 1],
  ],
  [
    'items after all writes have become equally slow',
    async ({ load, engine }) => {
      await load(2_000, 500);
      engine.takes = () => 300;
      await load(1_000, 2_000);
    },
    [1_000, 1_000],
  ],
  [
    'items once an engine that hung is back',
    async ({ load, engine }) => {
      engine.takes = () => 10_000;
      await load(100, 1_000);
      engine.takes = () => 5;
      // The probe that hangs delays the next one for 5 s.
      await load(10, 6_000);
    },
    [100, 1_000],
  ],
])('it does not refuse %s', async (_, before, [perSecond, ms]) => {
  const setting = setUp(quick);
  await before(setting);
  (await setting.load(perSecond, ms)).expectAllAccepted();
});

test('one stuck write refuses nothing while others succeed', async () => {
  let writes = 0;
  const { load } = setUp(() => (writes++ === 0 ? 1_900 : 2));
  const stuck = load(1, 1_000);
  (await load(1_000, 1_000)).expectAllAccepted();
  expect((await stuck).accepted).toEqual([1_900]);
});

test('while no write ends, late items are refused at once, and early ones time out', async () => {
  const { load, engine } = setUp(() => 5);
  await load(100, 100);
  engine.takes = () => 10_000;
  const { all, accepted, overloaded, unavailable } = await load(100, 1_900);
  expect(accepted).toEqual([]);
  expect(overloaded.length + unavailable.length).toBe(all.length);
  expect(overloaded.at(-1)).toBe(0);
  expect(unavailable[0]).toBe(2_000);
  // Two are being written, and the first of the others has waited for 1 s when the next one is refused.
  expect(unavailable.length).toBeGreaterThan(100);
  expect(unavailable.length).toBeLessThan(105);
});
