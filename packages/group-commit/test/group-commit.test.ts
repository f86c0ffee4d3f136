import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { BatchEngine, ItemSpec } from '../src/batch-engine.ts';
import { Misconfigured, Overloaded, Unavailable, Unsafe } from '../src/errors.ts';
import type { GroupCommitEvents } from '../src/events.ts';
import { groupCommit } from '../src/group-commit.ts';
import { type GroupCommitLimits, groupCommitLimits, limitsOf } from '../src/limits.ts';
import { processPlatform } from '../src/platform.ts';
import { settled, virtualPlatform } from './virtual-platform.ts';

// What the simulation does not look at: messages, fixed numbers, and what an engine or a spec does wrong.

interface Note {
  readonly id: number;
  readonly text: string;
}

type Engine = BatchEngine<Note, 'added'>;

const byId: ItemSpec<Note, number, 'added'> = { keyOf: ({ id }) => id, sizeOf: ({ text }) => text.length };
const note = (id: number, text = ''): Note => ({ id, text });
const some = (count: number) => Array.from({ length: count }, (_, at) => note(at + 1));
const added = { done: 'added' } as const;
const refused = { refused: new RangeError('refused') };

/** A store over an engine that adds everything, unless it is given otherwise, and a clock that goes on when it is told to. */
function start(engine: Partial<Engine>, limits: GroupCommitLimits = {}, events: GroupCommitEvents = {}, spec = byId) {
  const virtual = virtualPlatform();
  const write: Engine['write'] = async (items) => items.map(() => added);
  const whole = { write, probe: async () => {}, close: async () => {}, ...engine };
  const store = groupCommit(whole, spec, { maxWrites: 1, ...limits }, events, virtual.platform);
  /** What becomes of each. */
  async function add(...items: Note[]): Promise<unknown[]> {
    const results = await Promise.allSettled(items.map(store.submit));
    return results.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason)));
  }
  return { ...virtual, store, add };
}

/** A store that writes when it is told to. */
function setUp(limits: GroupCommitLimits = {}, events: GroupCommitEvents = {}) {
  const batches: { items: readonly Note[]; commit: () => void; fail: (reason: unknown) => void }[] = [];
  const outcomeOf = ({ text }: Note) => (text === 'refused' ? refused : added);
  const write: Engine['write'] = (items) =>
    new Promise((resolve, reject) => {
      batches.push({ items, commit: () => resolve(items.map(outcomeOf)), fail: reject });
    });
  const probe = vi.fn(async () => {});
  const started = start({ write, probe }, limits, events);
  /** The write that has waited longest ends. */
  async function commit() {
    await started.turn();
    batches.shift()?.commit();
    await settled();
  }
  const written = () => batches.map(({ items }) => items.map(({ id }) => id));
  return { ...started, probe, batches, commit, written };
}

describe('a group commit', () => {
  test('writes items that arrive together with one commit, and those that arrive meanwhile with the next', async () => {
    const { add, deferred, turn, commit, written } = setUp();
    const first = add(note(1), note(2));
    expect(deferred).toHaveLength(1);
    await turn();
    expect(written()).toEqual([[1, 2]]);
    const second = add(note(3), note(4));
    await commit();
    expect(await first).toEqual(['added', 'added']);
    expect(written()).toEqual([[3, 4]]);
    await commit();
    expect(await second).toEqual(['added', 'added']);
  });

  test('opens the circuit when a write takes longer than its time-out, and begins no other', async () => {
    const wrote = vi.fn<(outcome: string, items: number, seconds: number) => void>();
    const { add, turn, pass, written } = setUp({}, { wrote });
    const first = add(note(1));
    await turn();
    await pass(1);
    const waiting = add(note(2));
    await pass(1_999);
    const told = 'Unavailable: the engine did not respond within 2000 ms';
    expect([await first, await waiting]).toEqual([[told], [`${told} (circuit breaker open)`]]);
    expect(await add(note(3))).toEqual([`${told} (circuit breaker open)`]);
    expect([written(), wrote.mock.calls]).toEqual([[[1]], [['failed', 1, 2]]]);
  });

  test('rejects a refused item alone, and writes the next of its id before those that came later', async () => {
    const { add, commit, written } = setUp({ maxBatch: 3 });
    const adding = add(note(1, 'refused'), note(2), note(1), note(3), note(4), note(5));
    await commit();
    expect(written()).toEqual([[1, 3, 4]]);
    await commit();
    await commit();
    expect(await adding).toEqual(['RangeError: refused', ...Array(5).fill('added')]);
  });

  test('writes the next of refused items in the order in which they came', async () => {
    const { add, turn, pass, commit, written } = setUp({ maxBatch: 4, maxWaitMs: 20 });
    void add(note(0));
    await turn();
    void add(note(1, 'refused'), note(2, 'refused'));
    for (const id of [1, 2, 3]) {
      await pass(1);
      void add(note(id));
    }
    await commit();
    await commit();
    expect(written()).toEqual([[1, 2, 3]]);
  });

  test('rejects all of a batch with what the engine rejects it with, and writes none of them again', async () => {
    const { add, turn, commit, batches, written } = setUp({ maxBatch: 3 });
    const adding = add(note(1), note(2), note(1), note(3));
    await turn();
    batches.shift()?.fail(new RangeError('refused'));
    await settled();
    expect(written()).toEqual([[3]]);
    await commit();
    expect(await adding).toEqual([...Array(3).fill('RangeError: refused'), 'added']);
  });

  test('writes nothing once it is closed, not even again', async () => {
    const write = vi.fn<Engine['write']>(async (items) => {
      await platform.sleep(write.mock.calls.length === 1 ? 100 : 1_950);
      if (items.some(({ id }) => id === 2)) throw new Unavailable('lost');
      return items.map(() => added);
    });
    const { add, store, platform, turn, pass } = start({ write, isTransient: () => true }, { timeoutMs: 2_000 });
    void add(note(1));
    await turn();
    void add(note(2));
    await pass(2_010);
    await store.close();
    await pass(100);
    expect(write).toHaveBeenCalledTimes(2);
  });

  test('throws when write does not return a result for each item', async () => {
    const { add, turn } = start({ write: async () => [] });
    const adding = add(note(1));
    await turn();
    expect(await adding).toEqual([expect.stringContaining('the engine gave 0 outcomes for 1 items')]);
  });

  test('writes at most maxBatchSize at once, but an item with more alone', async () => {
    const { add, turn, written } = setUp({ maxBatchSize: 10, maxWrites: 9 });
    void add(...[4, 6, 1, 50, 10].map((size, at) => note(at, 'x'.repeat(size))));
    await turn();
    expect(written()).toEqual([[0, 1], [2], [3], [4]]);
  });
});

describe('a conflicting item', () => {
  /** All items conflict but those that are refused. */
  const write: Engine['write'] = async (items) => items.map(({ text }) => (text === 'refused' ? refused : 'conflict'));

  test('is rejected if the engine has no way to resolve it', async () => {
    const { add, turn } = start({ write });
    const adding = add(note(1));
    await turn();
    expect(await adding).toEqual([expect.stringContaining('there is no settle')]);
  });

  test('is rejected with what settle throws, and nothing that is in the queue again', async () => {
    const settle = vi.fn<Required<Engine>['settle']>().mockRejectedValueOnce(new Unavailable('lost'));
    const { add, turn, pass } = start({ write, settle: settle.mockResolvedValue([added]) });
    const adding = add(note(1, 'refused'), note(1), note(2));
    await turn();
    await pass(1);
    expect(await adding).toEqual(['RangeError: refused', 'added', 'Unavailable: lost']);
  });

  test.each([
    [3, '1, 2, 3'],
    [4, '1, 2, 3, …'],
  ])('of %i is asked for after pauses that grow, until the deadline', async (count, keys) => {
    const attempts: number[] = [];
    const settle: Engine['settle'] = async (items) => {
      attempts.push(platform.now());
      return items.map(() => 'conflict');
    };
    const { add, platform, turn, pass } = start({ write, settle }, { timeoutMs: 2_000 });
    const adding = add(...some(count));
    await turn();
    await pass(2_000);
    expect(await adding).toEqual(Array(count).fill(`Unavailable: conflicting until the deadline: ${keys}`));
    const pauses = attempts.slice(1).map((time, at) => time - (attempts[at] ?? 0));
    // 10 ms, and twice as long each time up to 160 ms, less up to a half.
    for (const [at, pause] of pauses.entries()) {
      const longest = Math.min(160, 10 * 2 ** at);
      expect(pause).toBeGreaterThanOrEqual(longest / 2);
      expect(pause).toBeLessThanOrEqual(longest);
    }
    expect(attempts.at(-1)).toBeGreaterThan(2_000 - 2 * 160);
  });
});

describe('a check', () => {
  test('joins the probe under way, of a check or of the circuit breaker, for 5 s, whatever becomes of earlier ones', async () => {
    const { store, probe, pass, add, turn, batches } = setUp();
    const check = () => store.check().catch(() => {});
    const first = Promise.withResolvers<void>();
    probe.mockReturnValueOnce(first.promise).mockReturnValue(new Promise(() => {}));
    void Promise.all([check(), check()]);
    const failing = add(note(1));
    await turn();
    batches.shift()?.fail(new Unavailable('down'));
    await failing;
    await pass(4_999);
    void check();
    expect(probe).toHaveBeenCalledTimes(1);
    await pass(1);
    void check();
    first.reject(new Unavailable('down'));
    await pass(3_000);
    void check();
    expect(probe).toHaveBeenCalledTimes(2);
  });

  test('throws what a probe throws at once', async () => {
    const { store, probe } = setUp();
    probe.mockImplementation(() => {
      throw new Unavailable('down');
    });
    await expect(store.check()).rejects.toThrow(new Unavailable('down'));
  });
});

test('events are called as methods of their object, which may be of a class', async () => {
  class Figures implements GroupCommitEvents {
    readonly told: string[] = [];
    watchWaiting(count: () => number) {
      this.told.push(`${count()} waiting`);
    }
    wrote(outcome: string, items: number) {
      this.told.push(`${outcome} ${items}`);
    }
    retried() {
      this.told.push('retried');
    }
    circuit(state: string) {
      this.told.push(state);
    }
  }
  const figures = new Figures();
  const write = vi.fn<Engine['write']>().mockRejectedValueOnce(new Error('lost'));
  const isTransient = (error: unknown) => !(error instanceof Unavailable);
  const engine = { write: write.mockRejectedValue(new Unavailable('down')), isTransient };
  const { add, turn, pass } = start(engine, {}, figures);
  const adding = add(note(1));
  await turn();
  await pass(100);
  expect(await adding).toEqual(['Unavailable: down']);
  expect(figures.told).toEqual(['closed', '0 waiting', 'retried', 'failed 1', 'open', 'closed']);
});

test('an item of which the spec can make nothing is rejected, and its batch is not', async () => {
  const keyOf = ({ id }: Note) => (Number.isNaN(id) ? expect.fail('no key') : id);
  const { add, turn } = start({}, {}, {}, { ...byId, keyOf });
  const adding = add(note(Number.NaN), note(2));
  await turn();
  expect(await adding).toEqual([expect.stringContaining('no key'), 'added']);
});

test('a timer calls back while one sleeps, and one that is cancelled does not', async () => {
  const callback = vi.fn<(which: string) => void>();
  processPlatform.after(1, () => callback('cancelled'))();
  processPlatform.after(1, () => callback('kept'));
  await processPlatform.sleep(5);
  expect(callback.mock.calls).toEqual([['kept']]);
});

test('a timer keeps the process running if it is asked to', () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  for (const keepsAlive of [undefined, false, true]) processPlatform.after(1, () => {}, keepsAlive);
  expect(timers.mock.results.map(({ value }) => value.hasRef())).toEqual([false, false, true]);
});

test('errors are told apart by their names', () => {
  const all = [new Unavailable('x'), new Misconfigured('x'), new Unsafe('x'), new Overloaded('x')];
  expect(all.map(String)).toEqual(['Unavailable: x', 'Misconfigured: x', 'Unsafe: x', 'Overloaded: x']);
});

test.each<[GroupCommitLimits, string]>([
  [{ maxBatch: 0 }, 'maxBatch is 0'],
  [{ timeoutMs: Number.NaN }, 'timeoutMs is NaN'],
  [{ maxWaitMs: 1.5 }, 'maxWaitMs is 1.5'],
  [{ maxWaiting: 2 ** 31 }, 'maxWaiting is 2147483648'],
])('the limits %o are refused', (limits, found) => {
  const error = new RangeError(`${found}; expected a whole number from 1 to 2147483647`);
  expect(() => start({}, limits)).toThrow(error);
});

test('the longest time that a timer takes is a limit', () => {
  expect(limitsOf(groupCommitLimits, { timeoutMs: 2 ** 31 - 1 })).toHaveProperty('timeoutMs', 2 ** 31 - 1);
});
