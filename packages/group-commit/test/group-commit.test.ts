import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { BatchEngine } from '../src/batch-engine.ts';
import { Misconfigured, Overloaded, Unavailable, Unsafe } from '../src/errors.ts';
import type { GroupCommitEvents } from '../src/events.ts';
import { groupCommit } from '../src/group-commit.ts';
import { type GroupCommitLimits, groupCommitLimits, limitsOf } from '../src/limits.ts';
import { processPlatform } from '../src/platform.ts';
import { type Added, type Note, note, notes } from './notes.ts';
import { settled, virtualPlatform } from './virtual-platform.ts';

// What the simulation does not look at: messages, fixed numbers, and what an engine or a spec does wrong.

type Engine = BatchEngine<Note, number, Added>;

/** A store that writes when it is told to, and a platform whose time passes when it is told to. */
function setUp(limits: GroupCommitLimits = {}, events: GroupCommitEvents = {}) {
  const batches: { items: readonly Note[]; commit: () => void; fail: (reason: unknown) => void }[] = [];
  const write: Engine['write'] = (items) =>
    new Promise((resolve, reject) => {
      const commit = () => {
        const refused = items.find(({ text }) => text === 'refused');
        if (refused) reject(new RangeError(`refused ${refused.id}`));
        else resolve(items.map(() => ({ done: 'added' })));
      };
      batches.push({ items, commit, fail: reject });
    });
  const probe = vi.fn(async () => {});
  const virtual = virtualPlatform();
  const store = groupCommit(
    { ...idle, write, probe },
    notes,
    { maxBatch: 100, maxWaiting: 1_000, maxWrites: 1, maxWaitMs: 2_000, timeoutMs: 2_000, ...limits },
    events,
    virtual.platform,
  );
  return {
    ...virtual,
    store,
    probe,
    batches,
    add: (...items: Note[]) => Promise.allSettled(items.map(store.submit)),
    addSome: (count: number) => Promise.allSettled(some(count).map(store.submit)),
    /** The write that has waited longest ends, after so many milliseconds. */
    async commit(after = 0) {
      await virtual.turn();
      await virtual.pass(after);
      batches.shift()?.commit();
      await settled();
    },
    written: () => batches.map(({ items }) => items.map(({ id }) => id)),
  };
}

const some = (count: number) => Array.from({ length: count }, (_, at) => note(at + 1));

/** What an engine has whose writing alone is looked at. */
const idle = { probe: async () => {}, close: async () => {} };

const values = async (settled: Promise<PromiseSettledResult<Added>[]>) =>
  (await settled).map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason)));

describe('a group commit', () => {
  test('writes items that arrive together with one commit, and those that arrive meanwhile with the next', async () => {
    const { add, turn, commit, written } = setUp();
    const first = add(note(1), note(2));
    await turn();
    expect(written()).toEqual([[1, 2]]);
    const second = add(note(3), note(4));
    await commit();
    expect(await values(first)).toEqual(['added', 'added']);
    expect(written()).toEqual([[3, 4]]);
    await commit();
    expect(await values(second)).toEqual(['added', 'added']);
  });

  test('asks for one turn for all that arrive together', async () => {
    const { add, deferred } = setUp();
    void add(note(1), note(2), note(3));
    expect(deferred).toHaveLength(1);
  });

  test('opens the circuit when a write takes longer than its time-out', async () => {
    const wrote = vi.fn<(outcome: string, items: number, seconds: number) => void>();
    const { addSome, turn, pass } = setUp({}, { wrote });
    const adding = values(addSome(1));
    await turn();
    await pass(2_000);
    const told = 'Unavailable: the engine did not respond within 2000 ms';
    expect([await adding, await values(addSome(1)), wrote.mock.calls]).toEqual([
      [told],
      [`${told} (circuit breaker open)`],
      [['failed', 1, 2]],
    ]);
  });

  test('finds a refused item among 500 with at most 18 more writes, and rejects no other', async () => {
    const { add, turn, commit, batches } = setUp({ maxBatch: 500 });
    const adding = add(...some(500).map((item) => (item.id === 300 ? note(300, 'refused') : item)));
    await turn();
    let writes = 0;
    for (; batches.length > 0 && writes < 20; writes += 1) await commit();
    expect(writes).toBeLessThan(20);
    expect((await values(adding)).filter((value) => value !== 'added')).toEqual(['RangeError: refused 300']);
  });

  test('throws when write does not return a result for each item', async () => {
    const { submit } = groupCommit({ ...idle, write: async () => [] }, notes);
    await expect(submit(note(1))).rejects.toThrow('write gave 0 outcomes for 1 items');
  });

  test('writes at most maxBatchSize at once, but an item with more alone', async () => {
    const { add, turn, written } = setUp({ maxBatchSize: 10, maxWrites: 9 });
    add(...[4, 6, 1, 50, 10].map((size, at) => note(at, 'x'.repeat(size))));
    await turn();
    expect(written()).toEqual([[0, 1], [2], [3], [4]]);
  });

  test('once the engine proves slow, refuses those that came last, and counts the others', async () => {
    let waiting = () => -1;
    const watchWaiting = (count: () => number) => {
      waiting = count;
    };
    const { addSome, turn, commit } = setUp({ maxBatch: 5, maxWaitMs: 100 }, { watchWaiting });
    addSome(1);
    await turn();
    const others = addSome(20);
    // Two writes of 500 ms confirm what a write costs. A fifth more than the next write has may wait then.
    await commit(500);
    await commit(500);
    expect(waiting()).toBe(1);
    await commit();
    await commit();
    expect(await values(others)).toEqual([
      ...Array(11).fill('added'),
      ...Array(9).fill('Overloaded: 15 items are waiting for the engine already'),
    ]);
  });

  test('refuses no item while nothing waits or is written, however slow the engine was', async () => {
    const { addSome, commit } = setUp({ maxWaitMs: 10 });
    // Each of the last ten has cost more than 10 ms.
    for (const [count, ms] of [
      [50, 1],
      [5, 60],
      [5, 1_900],
    ] as const) {
      addSome(count);
      await commit(ms);
    }
    const adding = addSome(1);
    await commit();
    expect(await values(adding)).toEqual(['added']);
  });

  test.each<[string, [number, number][], number]>([
    ['10 items that took 249 ms', [[10, 249]], 100],
    ['10 items that took 250 ms', [[10, 250]], 40],
    [
      '10 items that took 1 s, and of 2 that took little',
      [
        [10, 1_000],
        [2, 10],
      ],
      100,
    ],
  ])('after a write of %s, with 2 s to wait, writes so many of 100', async (_, before, count) => {
    const { addSome, turn, commit, batches } = setUp();
    for (const [items, ms] of before) {
      addSome(items);
      await commit(ms);
    }
    addSome(100);
    await turn();
    expect(batches[0]?.items).toHaveLength(count);
  });
});

describe('a conflicting item', () => {
  test('may be refused alone, with the later ones of its id', async () => {
    const { platform, turn } = virtualPlatform();
    const write: Engine['write'] = async (items) => items.map((_, at) => (at === 0 ? 'conflict' : { done: 'added' }));
    const settle: Engine['settle'] = async (_items, _deadline, done) => done(1, { refused: new RangeError('refused') });
    const { submit } = groupCommit({ ...idle, write, settle }, notes, {}, {}, platform);
    const adding = values(Promise.allSettled([note(1), note(1), note(2)].map(submit)));
    await turn();
    expect(await adding).toEqual(['RangeError: refused', 'RangeError: refused', 'added']);
  });

  test('is settled for a later one of its id when whoever came first has gone', async () => {
    const { platform, turn, pass } = virtualPlatform();
    const write: Engine['write'] = async (items) => {
      await platform.sleep(1_010);
      return items.map(({ id }) => (id === 1 ? 'conflict' : { done: 'added' }));
    };
    const settle: Engine['settle'] = async (_items, _deadline, done) => {
      if (platform.now() > 2_100) done(1, { done: { has: 'another' } });
    };
    const { submit } = groupCommit({ ...idle, write, settle }, notes, { maxWrites: 1, timeoutMs: 2_000 }, {}, platform);
    void submit(note(2));
    await turn();
    const adding = [submit(note(1))];
    await pass(500);
    const answers = values(Promise.allSettled([...adding, submit(note(1))]));
    await pass(2_000);
    expect(await answers).toEqual([expect.stringContaining('Unavailable'), { has: 'another' }]);
  });

  test('is rejected if the engine has no way to resolve it', async () => {
    const { submit } = groupCommit({ ...idle, write: async () => ['conflict'] }, notes);
    await expect(submit(note(1))).rejects.toThrow('there is no settle');
  });

  test.each([
    [1, '1'],
    [3, '1, 2, 3'],
    [4, '1, 2, 3, …'],
  ])('and %i that keep conflicting are tried again after pauses that grow, until the deadline', async (count, keys) => {
    const { platform, turn, pass } = virtualPlatform();
    const attempts: number[] = [];
    const store = groupCommit(
      {
        ...idle,
        write: async (items) => items.map(() => 'conflict'),
        async settle() {
          attempts.push(platform.now());
        },
      },
      notes,
      { timeoutMs: 2_000 },
      {},
      platform,
    );
    const adding = Promise.allSettled(Array.from({ length: count }, (_, at) => store.submit(note(at + 1))));
    await turn();
    await pass(2_000);
    for (const result of await adding)
      expect(result).toMatchObject({ reason: { message: `conflicting until the deadline: ${keys}` } });
    const pauses = attempts.slice(1).map((time, at) => time - (attempts[at] ?? 0));
    // 10 ms, and twice as long each time up to 160 ms, less up to a half.
    for (const [at, pause] of pauses.entries()) {
      const longest = Math.min(160, 10 * 2 ** at);
      expect(pause).toBeGreaterThanOrEqual(longest / 2);
      expect(pause).toBeLessThanOrEqual(longest);
    }
    expect(attempts.at(-1)).toBeGreaterThan(2_000 - 2 * 160);
    expect(attempts.at(-1)).toBeLessThanOrEqual(2_000);
  });
});

describe('a check', () => {
  test('joins the probe under way, of a check or of the circuit breaker, for 5 s, whatever becomes of earlier ones', async () => {
    const { store, probe, pass, addSome, turn, batches } = setUp();
    const check = () => store.check().catch(() => {});
    const first = Promise.withResolvers<void>();
    probe.mockReturnValueOnce(first.promise).mockReturnValue(new Promise(() => {}));
    void Promise.all([check(), check()]);
    const failing = addSome(1);
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

/** Notes that somebody else has locked are in the way of all that are written with them; what is refused as well. */
function withLocks(locked: Record<number, 'locked' | 'refused' | 'lost'>, msAWrite = 0) {
  const virtual = virtualPlatform();
  const tried: string[] = [];
  const store = groupCommit<Note, number, Added>(
    {
      ...idle,
      async write(items, _deadline, mayWait) {
        tried.push(`${mayWait ? 'waits ' : ''}${items.map(({ id }) => id)}`);
        if (msAWrite > 0) await virtual.platform.sleep(msAWrite);
        const states = items.map(({ id }) => locked[id]);
        if (states.includes('locked')) return items.map(() => 'split');
        if (states.includes('lost')) throw new Unavailable('lost');
        if (states.includes('refused')) throw new RangeError('refused');
        return items.map(() => ({ done: 'added' }));
      },
      async settle(items, _deadline, done) {
        tried.push(`settles ${items.map(({ id }) => id)}`);
        for (const { id } of items) if (locked[id] !== 'locked') done(id, 'absent');
      },
    },
    notes,
    { timeoutMs: 2_000 },
    {},
    virtual.platform,
  );
  const add = (...ids: number[]) => values(Promise.allSettled(ids.map((id) => store.submit(note(id)))));
  return { ...virtual, add, tried, locked };
}

describe('an item that is in the way of others', () => {
  test('is found in parts that do not wait, and written once its key is absent', async () => {
    const { add, turn, pass, tried, locked } = withLocks({ 3: 'locked' });
    const adding = add(1, 2, 3, 4);
    await turn();
    expect(tried).toEqual(['waits 1,2,3,4', '1,2,3,4', '1,2', '3,4', '3', '4', 'settles 3']);
    delete locked[3];
    await pass(10);
    expect(await adding).toEqual(Array(4).fill('added'));
    expect(tried.slice(7)).toEqual(['settles 3', '3']);
  });

  test('leaves alone what is refused for its own sake', async () => {
    const { add, turn, pass, tried, locked } = withLocks({ 3: 'locked', 4: 'refused' });
    const adding = add(1, 2, 3, 4);
    await turn();
    expect(tried.at(-1)).toBe('settles 3');
    delete locked[3];
    await pass(10);
    expect(await adding).toEqual(['added', 'added', 'added', 'RangeError: refused']);
  });

  test('and a connection that is lost then fail alone what is not written yet', async () => {
    const first = withLocks({ 3: 'locked', 4: 'lost' });
    const partly = first.add(1, 2, 3, 4);
    await first.turn();
    expect(first.tried.slice(-3)).toEqual(['4', 'settles 3,4', '4']);
    expect(await partly).toEqual(['added', 'added', 'Unavailable: lost', 'Unavailable: lost']);
    const second = withLocks({ 1: 'lost', 2: 'locked' });
    const lost = second.add(1, 2);
    await second.turn();
    expect(await lost).toEqual(Array(2).fill('Unavailable: lost'));
  });

  test('takes the others of its batch 200 ms at the most; what is left then conflicts', async () => {
    const { add, turn, pass, tried } = withLocks({ 1: 'locked', 2: 'locked', 3: 'locked', 4: 'locked' }, 101);
    void add(1, 2, 3, 4);
    await turn();
    await pass(303);
    expect(tried).toEqual(['waits 1,2,3,4', '1,2,3,4', '1,2', 'settles 1,2,3,4']);
  });
});

test('events are called as methods of their object, which may be of a class', async () => {
  class Figures implements GroupCommitEvents {
    readonly #told: string[] = [];
    watchWaiting(count: () => number) {
      this.#told.push(`${count()} waiting`);
    }
    wrote(outcome: string, items: number) {
      this.#told.push(`${outcome} ${items}`);
    }
    retried() {
      this.#told.push('retried');
    }
    circuit(state: string) {
      this.#told.push(state);
    }
    get told() {
      return this.#told.join();
    }
  }
  const figures = new Figures();
  const { platform, turn, pass } = virtualPlatform();
  const write = vi
    .fn<Engine['write']>()
    .mockRejectedValueOnce(new Unavailable('lost'))
    .mockRejectedValue(new Unavailable('down'));
  const isTransient = (error: unknown) => (error as Error).message === 'lost';
  const { submit } = groupCommit({ ...idle, write, isTransient }, notes, {}, figures, platform);
  const adding = expect(submit(note(1))).rejects.toThrow('down');
  await turn();
  await pass(100);
  await adding;
  expect(figures.told).toBe('closed,0 waiting,retried,failed 1,open,closed');
});

test('an item of which the spec can make nothing is rejected, and its batch is not', async () => {
  const { platform, turn } = virtualPlatform();
  const write: Engine['write'] = async (items) => items.map(() => ({ done: 'added' }));
  const keyOf = ({ id }: Note) => (Number.isNaN(id) ? expect.fail('no key') : id);
  const { submit } = groupCommit({ ...idle, write }, { ...notes, keyOf }, {}, {}, platform);
  const adding = values(Promise.allSettled([submit(note(Number.NaN)), submit(note(2))]));
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
  [{ maxBatch: 0 }, 'maxBatch is 0; expected a whole number from 1 to 2147483647'],
  [{ timeoutMs: Number.NaN }, 'timeoutMs is NaN; expected a whole number from 1 to 2147483647'],
  [{ maxWaitMs: 1.5 }, 'maxWaitMs is 1.5; expected a whole number from 1 to 2147483647'],
  [{ maxWaiting: 2 ** 31 }, 'maxWaiting is 2147483648; expected a whole number from 1 to 2147483647'],
])('the limits %o are refused', (limits, message) => {
  expect(() => groupCommit({ ...idle, write: async () => [] }, notes, limits)).toThrow(new RangeError(message));
});

test('the longest time that a timer takes is a limit', () => {
  expect(limitsOf(groupCommitLimits, { timeoutMs: 2 ** 31 - 1 })).toHaveProperty('timeoutMs', 2 ** 31 - 1);
});
