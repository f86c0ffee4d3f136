import { describe, expect, test, vi } from 'vitest';
import type { BatchEngine } from '../src/batch-engine.ts';
import { Unavailable } from '../src/errors.ts';
import type { GroupCommitEvents } from '../src/events.ts';
import { groupCommit } from '../src/group-commit.ts';
import { type GroupCommitLimits, groupCommitLimits, limitsOf } from '../src/limits.ts';
import { processPlatform } from '../src/platform.ts';
import { type Added, type Note, note, notes } from './notes.ts';
import { settled, virtualPlatform } from './virtual-platform.ts';

type Wrote = Required<GroupCommitEvents>['wrote'];
type Circuit = Required<GroupCommitEvents>['circuit'];
type Engine = BatchEngine<Note, number, Added>;

/** A store that writes when it is told to, and a platform whose time passes when it is told to. */
function setUp(limits: GroupCommitLimits = {}, events: GroupCommitEvents = {}) {
  const rows = new Map<number, string>();
  const batches: { items: readonly Note[]; commit: () => void; fail: (reason: unknown) => void }[] = [];
  const write: Engine['write'] = (items) =>
    new Promise((resolve, reject) => {
      const commit = () => {
        const refused = items.find(({ text }) => text === 'refused');
        if (refused) reject(new RangeError(`refused ${refused.id}`));
        else resolve(items.map((item) => ({ done: addRow(item) })));
      };
      batches.push({ items, commit, fail: reject });
    });
  function addRow({ id, text }: Note): Added {
    const has = rows.get(id);
    if (has !== undefined) return { has };
    rows.set(id, text);
    return 'added';
  }

  const engine = { write, probe: vi.fn(async () => {}), close: vi.fn(async () => {}) };
  const virtual = virtualPlatform();
  const store = groupCommit(
    engine,
    notes,
    { maxBatch: 100, maxWaiting: 1_000, maxWrites: 1, maxWaitMs: 2_000, timeoutMs: 2_000, ...limits },
    events,
    virtual.platform,
  );
  return {
    ...virtual,
    store,
    engine,
    submit: store.submit,
    rows,
    batches,
    add: (...items: Note[]) => Promise.allSettled(items.map((each) => store.submit(each))),
    /** The write that has waited longest ends. */
    commit: async () => {
      batches.shift()?.commit();
      await settled();
    },
    commitAll: async () => {
      while (batches.length > 0) {
        batches.shift()?.commit();
        await settled();
      }
    },
    idsOf: (batch: number) => batches[batch]?.items.map(({ id }) => id),
  };
}

const late = 'Unavailable: the engine did not respond within 2000 ms';

/** What an engine has whose inserting alone is looked at. */
const idle = { probe: async () => {}, close: async () => {} };

const values = async (settled: Promise<PromiseSettledResult<Added>[]>) =>
  (await settled).map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason)));

describe('a group-commit store', () => {
  test('writes adds that arrive together with one commit, and those that arrive meanwhile with the next', async () => {
    const { add, turn, commit, idsOf, batches } = setUp();
    const first = add(note(1), note(2));
    await turn();
    expect(idsOf(0)).toEqual([1, 2]);
    const second = add(note(3), note(4));
    await turn();
    expect(batches).toHaveLength(1);
    await commit();
    expect(await values(first)).toEqual(['added', 'added']);
    expect(idsOf(0)).toEqual([3, 4]);
    await commit();
    expect(await values(second)).toEqual(['added', 'added']);
  });

  test('finds a refused plant by halving the batch', async () => {
    const { add, turn, commit, batches } = setUp();
    add(note(1), note(2), note(3, 'refused'), note(4), note(1));
    await turn();
    const written: number[][] = [];
    while (batches.length > 0) {
      written.push(batches[0]?.items.map(({ id }) => id) ?? []);
      await commit();
    }
    expect(written).toEqual([[1, 2, 3, 4], [1, 2], [3, 4], [3], [4]]);
  });

  test('throws when write does not return a result for each plant', async () => {
    const { submit } = groupCommit({ ...idle, write: async () => [] }, notes);
    await expect(submit(note(1))).rejects.toThrow('write gave 0 outcomes for 1 items');
  });

  test('writes a plant whose own add has timed out while a later add of its id waits, in halves as well', async () => {
    const { add, turn, pass, commitAll } = setUp();
    const first = add(note(1, 'a'));
    await pass(500);
    const second = add(note(1, 'c'));
    await pass(500);
    const others = add(note(1, 'b'), note(2, 'refused'));
    await turn();
    await pass(1_500);
    await commitAll();
    expect(await values(first)).toEqual([late]);
    expect(await values(second)).toEqual([late]);
    expect(await values(others)).toEqual([{ has: 'a' }, 'RangeError: refused 2']);
  });

  test('refuses an add at once when maxWaiting adds wait', async () => {
    const { add, turn } = setUp({ maxWaiting: 2 });
    add(note(1));
    await turn();
    add(note(2), note(3));
    const results = await values(add(note(4)));
    expect(results).toEqual(['Overloaded: 2 items are waiting for the engine already']);
  });

  test('writes at most maxBatchSize at once, but a plant with more alone', async () => {
    const { add, turn, commitAll, batches } = setUp({ maxBatchSize: 10, maxWrites: 9 });
    const adding = add(
      note(1, 'x'.repeat(4)),
      note(2, 'x'.repeat(6)),
      note(3, 'x'),
      note(4, 'x'.repeat(50)),
      note(5, 'x'.repeat(10)),
    );
    await turn();
    expect(batches.map(({ items }) => items.map(({ id }) => id))).toEqual([[1, 2], [3], [4], [5]]);
    await commitAll();
    expect(await values(adding)).toEqual(Array(5).fill('added'));
  });

  test('has room for what comes as a process thaws, whose waiting adds have all timed out', async () => {
    const { add, turn, pass, commit } = setUp({ maxWaiting: 1 });
    const first = add(note(1));
    await pass(2_000);
    expect(await values(first)).toEqual([late]);
    const second = add(note(2));
    await turn();
    await commit();
    expect(await values(second)).toEqual(['added']);
  });

  test('once the store proves slow, refuses those that came last, and counts the others', async () => {
    let waiting = () => -1;
    const { add, turn, pass, commit } = setUp(
      { maxBatch: 5, maxWaitMs: 100 },
      {
        watchWaiting: (count) => {
          waiting = count;
        },
      },
    );
    add(note(1));
    await turn();
    const others = add(...Array.from({ length: 20 }, (_, at) => note(2 + at)));
    // Two writes of 500 ms confirm what a write costs. A fifth more than the next write has may wait then.
    for (let writes = 0; writes < 2; writes += 1) {
      await pass(500);
      await commit();
    }
    expect(waiting()).toBe(1);
    const next = add(note(30));
    for (let writes = 0; writes < 2; writes += 1) await commit();
    expect(await values(next)).toEqual(['added']);
    expect(await values(others)).toEqual([
      ...Array(11).fill('added'),
      ...Array(9).fill('Overloaded: 15 items are waiting for the engine already'),
    ]);
  });

  test('refuses no add while nothing waits or is written, however slow the store was', async () => {
    const { add, turn, pass, commit } = setUp({ maxWaitMs: 10 });
    let next = 1;
    for (const [count, ms] of [
      [50, 1],
      [5, 60],
      [5, 1_900],
    ] as const) {
      add(...Array.from({ length: count }, () => note(next++)));
      await turn();
      await pass(ms);
      await commit();
    }
    // Each of the last ten has cost more than 10 ms.
    const adding = add(note(next));
    await turn();
    await commit();
    expect(await values(adding)).toEqual(['added']);
  });

  test.each([
    [249, 100],
    [250, 40],
  ])('after a write of 10 plants that took %i ms, with 2 s to wait, writes %i of 100', async (ms, written) => {
    const { add, turn, pass, commit, batches } = setUp();
    const some = (count: number) => Array.from({ length: count }, (_, at) => note(at));
    add(...some(10));
    await turn();
    await pass(ms);
    await commit();
    add(...some(100));
    await turn();
    expect(batches[0]?.items).toHaveLength(written);
  });

  test('writes as many as ever once a small write has shown that its plants cost little', async () => {
    const { add, turn, pass, commit, batches } = setUp();
    const some = (count: number) => Array.from({ length: count }, (_, at) => note(at));
    for (const [count, ms] of [
      [10, 1_000],
      [2, 10],
    ] as const) {
      add(...some(count));
      await turn();
      await pass(ms);
      await commit();
    }
    add(...some(100));
    await turn();
    expect(batches[0]?.items).toHaveLength(100);
  });

  test('a write that queued 1.3 s and takes 1.3 s opens no circuit, counts as stored, and is learned from', async () => {
    const wrote = vi.fn<Wrote>();
    const circuit = vi.fn<Circuit>();
    const { add, turn, pass, commit, rows } = setUp({ maxWaitMs: 650 }, { wrote, circuit });
    const some = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => note(from + at));
    const first = add(note(1));
    await turn();
    const second = add(...some(2, 42));
    await pass(1_300);
    await commit();
    expect(await values(first)).toEqual(['added']);
    await pass(1_300);
    expect(await values(second)).toEqual(Array(40).fill(late));
    await commit();
    expect(rows.size).toBe(41);
    expect(wrote.mock.calls).toEqual([
      ['done', 1, 1.3],
      ['done', 40, 1.3],
    ]);
    expect(circuit.mock.calls.flat()).toEqual(['closed']);
    // The fixed part of both writes is 1.3 s: of these, as many may wait as fit into half of such a write.
    const third = values(add(...some(100, 500)));
    await turn();
    for (let writes = 0; writes < 4; writes += 1) await commit();
    expect((await third).filter((result) => typeof result === 'string').length).toBeGreaterThan(200);
  });

  test.each([
    ['done', (write: { commit(): void }) => write.commit()],
    ['failed', (write: { fail(reason: unknown): void }) => write.fail(new Unavailable('down'))],
    ['refused', (write: { fail(reason: unknown): void }) => write.fail(new RangeError('refused'))],
  ])('counts a write that is %s after its timeout once, and opens the circuit once', async (_, end) => {
    const wrote = vi.fn<Wrote>();
    const circuit = vi.fn<Circuit>();
    const { add, turn, pass, batches } = setUp({}, { wrote, circuit });
    add(note(1), note(2));
    await turn();
    await pass(2_050);
    const [late] = batches;
    if (late) end(late);
    await settled();
    expect(batches).toHaveLength(1);
    expect(wrote.mock.calls).toEqual([['failed', 2, 2]]);
    expect(circuit.mock.calls.flat()).toEqual(['closed', 'open', 'closed']);
  });

  test('reports the size, duration and outcome of each write, and how many adds wait', async () => {
    const written: unknown[] = [];
    let waiting = () => -1;
    const { add, turn, commit, pass, batches } = setUp(
      { maxBatch: 2 },
      {
        watchWaiting: (count) => {
          waiting = count;
        },
        wrote: (...write) => written.push(write),
      },
    );
    expect(waiting()).toBe(0);
    void add(note(1), note(2), note(3), note(4, 'refused'));
    expect(waiting()).toBe(4);
    await turn();
    expect(waiting()).toBe(2);
    await pass(250);
    await commit();
    expect(written).toEqual([['done', 2, 0.25]]);
    expect(waiting()).toBe(0);
    for (let writes = 0; writes < 3; writes += 1) await commit();
    expect(written.slice(1)).toEqual([
      ['failed', 2, 0],
      ['done', 1, 0],
      ['failed', 1, 0],
    ]);
    expect(batches).toEqual([]);
  });
});

describe('a conflicting plant', () => {
  test('may be refused alone, with the later ones of its id', async () => {
    const { platform, turn } = virtualPlatform();
    const write: Engine['write'] = async (items) => items.map((_, at) => (at === 0 ? 'conflict' : { done: 'added' }));
    const settle: Engine['settle'] = async (_items, _deadline, done) => done(1, { refused: new RangeError('refused') });
    const { submit } = groupCommit({ ...idle, write, settle }, notes, {}, {}, platform);
    const adding = values(Promise.allSettled([note(1), note(1), note(2)].map(submit)));
    await turn();
    expect(await adding).toEqual(['RangeError: refused', 'RangeError: refused', 'added']);
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

test('a retry of conflicts asks only for those that are not settled yet', async () => {
  const { platform, turn, pass } = virtualPlatform();
  const asked: number[][] = [];
  const store = groupCommit(
    {
      ...idle,
      write: async (items) => items.map(() => 'conflict'),
      async settle(items, _deadline, done) {
        asked.push(items.map(({ id }) => id));
        for (const { id } of asked.length === 1 ? items.slice(1) : items) done(id, { done: 'added' });
        if (asked.length === 1) throw new Unavailable('lost');
      },
      isTransient: () => true,
    },
    notes,
    {},
    {},
    platform,
  );
  const adding = Promise.all([1, 2, 3].map((id) => store.submit(note(id))));
  await turn();
  await pass(40);
  expect(await adding).toHaveLength(3);
  expect(asked).toEqual([[1, 2, 3], [1]]);
});

describe('a check', () => {
  test('joins the probe under way, of a check or of the circuit breaker, for 5 s, whatever becomes of earlier ones', async () => {
    const { store, engine, pass, add, turn, batches } = setUp();
    const check = () => store.check().catch(() => {});
    const first = Promise.withResolvers<void>();
    engine.probe.mockReturnValueOnce(first.promise).mockReturnValue(new Promise(() => {}));
    void Promise.all([check(), check()]);
    const failing = add(note(1));
    await turn();
    batches.shift()?.fail(new Unavailable('down'));
    await failing;
    await pass(4_999);
    void check();
    expect(engine.probe).toHaveBeenCalledTimes(1);
    await pass(1);
    void check();
    first.reject(new Unavailable('down'));
    await pass(3_000);
    void check();
    expect(engine.probe).toHaveBeenCalledTimes(2);
  });

  test('throws what a probe throws at once', async () => {
    const { store, engine } = setUp();
    engine.probe.mockImplementation(() => {
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
