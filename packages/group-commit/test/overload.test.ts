import { describe, expect, test } from 'vitest';
import { Overloaded } from '../src/errors.ts';
import { groupCommit } from '../src/group-commit.ts';
import { groupCommitLimits } from '../src/limits.ts';
import { virtualPlatform } from './virtual-platform.ts';

const MAX_WAIT_MS = groupCommitLimits.maxWaitMs.default;

/** What a write of so many items takes, in milliseconds. */
type Takes = (items: number) => number;

const quick: Takes = (items) => 2 + 0.02 * items;

interface Answer {
  readonly took: number;
  readonly error: unknown;
}

/** Clients at a steady rate on an engine that takes its time, with the default limits. */
function setUp(takes: Takes) {
  const { platform, step } = virtualPlatform();
  const { now, after, sleep } = platform;
  const engine = {
    takes,
    async write(items: readonly number[]) {
      await sleep(engine.takes(items.length));
      return items.map(() => ({ done: 'added' }));
    },
    probe: async () => {},
    close: async () => {},
  };
  const { submit } = groupCommit(engine, { keyOf: (id: number) => id }, {}, {}, platform);
  let nextId = 0;
  async function sendOne(answers: Answer[]): Promise<void> {
    const sent = now();
    nextId += 1;
    const error: unknown = await submit(nextId).then(() => undefined, Object);
    answers.push({ took: now() - sent, error });
  }
  /** So many items a second, for so many milliseconds from now, and their answers as they come. */
  function send(perSecond: number, ms: number): Answer[] {
    const answers: Answer[] = [];
    const count = Math.round((perSecond * ms) / 1_000);
    for (let at = 0; at < count; at += 1) after((at * 1_000) / perSecond, () => void sendOne(answers));
    return answers;
  }
  /** The same, and all answers. */
  async function load(perSecond: number, ms: number): Promise<readonly Answer[]> {
    const answers = send(perSecond, ms);
    while (await step());
    return answers;
  }
  return { engine, after, send, load };
}

const isAccepted = ({ error }: Answer) => error === undefined;
const isFailed = ({ error }: Answer) => error !== undefined;
const isOverloaded = ({ error }: Answer) => error instanceof Overloaded;
const longest = (answers: readonly Answer[]) => answers.reduce((most, { took }) => Math.max(most, took), 0);

/** Engines, and how long they take for the most items of a batch. They write two batches at a time. */
describe.each<[string, Takes, number]>([
  ['2 ms a write and 0.5 ms an item', (items) => 2 + 0.5 * items, 252],
  ['150 ms a write', () => 150, 150],
  ['400 ms a write', () => 400, 400],
])('an engine that takes %s', (_, takes, fullMs) => {
  const carries = (2 * groupCommitLimits.maxBatch.default * 1_000) / fullMs;

  test('refuses nothing while it keeps up', async () => {
    const { load } = setUp(takes);
    expect((await load(0.8 * carries, 2_000)).filter(isFailed)).toEqual([]);
  });

  test('at twice that load answers what it accepts in time, and the rest at once', async () => {
    const answers = await setUp(takes).load(2 * carries, 3_000);
    const accepted = answers.filter(isAccepted);
    const overloaded = answers.filter(isOverloaded);
    expect(accepted.length + overloaded.length).toBe(answers.length);
    expect(accepted.length).toBeGreaterThan(2.7 * carries);
    // Batches may have been smaller at first, until it shows that a commit takes long.
    expect(longest(accepted)).toBeLessThanOrEqual(MAX_WAIT_MS + 3 * fullMs);
    expect(longest(overloaded)).toBe(0);
  });

  test('refuses nothing any more once it is quick and what it was writing has ended', async () => {
    const { engine, after, send, load } = setUp(takes);
    let later: readonly Answer[] = [];
    after(1_000, () => {
      engine.takes = quick;
    });
    after(1_001 + fullMs, () => {
      later = send(10_000, 100);
    });
    expect((await load(2 * carries, 1_000)).filter(isOverloaded)).not.toEqual([]);
    expect(later).toHaveLength(1_000);
    expect(later.filter(isFailed)).toEqual([]);
  });
});

test.each([2, 10])('an engine that takes 8 ms an item writes as many at %s times its load', async (times) => {
  const answers = await setUp((items) => 2 + 8 * items).load(times * 240, 6_000);
  // Before that the first batch was as large as any.
  const accepted = answers.slice(answers.length / 2).filter(isAccepted);
  expect(accepted.length).toBeGreaterThan(0.9 * 3 * 240);
  expect(longest(accepted)).toBeLessThan(1_300);
});

test('a full queue refuses what comes, and says how many wait', async () => {
  const answers = await setUp(() => 100).load(1_000_000, 3);
  // The first two are written before the others have come.
  expect(answers.filter(isAccepted)).toHaveLength(2 + 2_000);
  const messages = answers.filter(isOverloaded).map(({ error }) => String(error));
  expect(new Set(messages)).toEqual(new Set(['Overloaded: 2000 items are waiting for the engine already']));
});

test('while no write ends, nothing is accepted once the oldest item has waited for maxWaitMs', async () => {
  const answers = await setUp(() => 10_000).load(100, 1_500);
  const overloaded = answers.filter(isOverloaded);
  // Two are being written when the first one begins to wait.
  expect(overloaded).toHaveLength(answers.length - 2 - MAX_WAIT_MS / 10);
  expect(longest(overloaded)).toBe(0);
  expect(answers.filter(isAccepted)).toEqual([]);
  expect(longest(answers)).toBe(2_000);
});

test.each([
  ['a pause of all writes that is shorter than maxWaitMs', 2, MAX_WAIT_MS - 10],
  ['one stuck write while others succeed', 1, 1_900],
])('%s refuses nothing', async (_, stuck, ms) => {
  let writes = 0;
  const { load } = setUp((items) => (writes++ < stuck ? ms : quick(items)));
  expect((await load(2_000, 1_000)).filter(isFailed)).toEqual([]);
});
