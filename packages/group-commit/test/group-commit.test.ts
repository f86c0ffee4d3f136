import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { BatchEngine, Done, Outcome, Refused } from '../src/batch-engine.ts';
import { Misconfigured, Unavailable, Unsafe } from '../src/errors.ts';
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

  test('defers once for all adds that arrive together, and not at all while all writes are in flight', async () => {
    const { add, turn, commit, deferred } = setUp();
    add(note(1), note(2), note(3));
    expect(deferred).toHaveLength(1);
    await turn();
    add(note(4));
    expect(deferred).toHaveLength(0);
    await commit();
    await commit();
    add(note(5));
    expect(deferred).toHaveLength(1);
  });

  test('settles no add before the commit', async () => {
    const { submit, turn, commit } = setUp();
    let answered = false;
    const adding = submit(note(1)).then(() => {
      answered = true;
    });
    await turn();
    expect(answered).toBe(false);
    await commit();
    await adding;
    expect(answered).toBe(true);
  });

  test('exceeds neither maxBatch nor maxWrites', async () => {
    const { add, turn, idsOf, batches } = setUp({ maxBatch: 2, maxWrites: 2 });
    add(note(1), note(2), note(3), note(4), note(5));
    await turn();
    expect(batches).toHaveLength(2);
    expect([idsOf(0), idsOf(1)]).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  test('writes the first of equal ids, and resolves the others with the plant that has the id', async () => {
    const { add, turn, commit, idsOf } = setUp();
    const adding = add(note(1, 'a'), note(1, 'a'), note(1, 'b'), note(2));
    await turn();
    expect(idsOf(0)).toEqual([1, 2]);
    await commit();
    const exists = { has: 'a' };
    expect(await values(adding)).toEqual(['added', exists, exists, 'added']);
  });

  test('resolves equal ids with the plant that had the id before', async () => {
    const { add, turn, commit, rows } = setUp();
    rows.set(1, 'earlier');
    const adding = add(note(1, 'a'), note(1, 'b'));
    await turn();
    await commit();
    const exists = { has: 'earlier' };
    expect(await values(adding)).toEqual([exists, exists]);
  });

  test('rejects a refused plant alone, wherever it is in the batch and whatever is beside it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(8), fc.constantFrom('a', 'b', 'refused')), { minLength: 1, maxLength: 12 }),
        async (drawn) => {
          const { add, turn, commitAll, rows } = setUp();
          const items = drawn.map(([id, text]) => note(id, text));
          const adding = add(...items);
          await turn();
          await commitAll();
          const results = await values(adding);
          for (const [at, { id, text }] of items.entries()) {
            const before = items.slice(0, at).find((other) => other.id === id && other.text !== 'refused');
            if (text === 'refused' && !before) expect(results[at]).toBe(`RangeError: refused ${id}`);
            else if (text !== 'refused' && !before) expect(results[at]).toEqual('added');
            else if (text !== 'refused') expect(results[at]).toEqual({ has: rows.get(id) });
          }
        },
      ),
    );
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

  test('rejects a batch that fails and the adds that wait behind it, and writes again once the store recovers', async () => {
    const { add, turn, commit, pass, batches } = setUp();
    const first = add(note(1), note(1), note(2));
    await turn();
    const second = add(note(3));
    batches.shift()?.fail(new Unavailable('gone'));
    expect(new Set(await values(first))).toEqual(new Set(['Unavailable: gone']));
    await settled();
    expect(await values(second)).toEqual(['Unavailable: gone (circuit breaker open)']);
    await pass(50);
    const third = add(note(4));
    await turn();
    await commit();
    expect(await values(third)).toEqual(['added']);
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

  test('writes a plant whose own add has timed out while the only later one of its id waits', async () => {
    const { add, turn, pass, commitAll, rows } = setUp();
    const first = add(note(1, 'a'));
    await pass(1_000);
    const others = add(note(1, 'b'), note(2, 'refused'));
    await turn();
    await pass(1_500);
    await commitAll();
    expect(await values(first)).toEqual([late]);
    expect(await values(others)).toEqual([{ has: 'a' }, 'RangeError: refused 2']);
    expect(rows.size).toBe(1);
  });

  test('writes nothing more of a refused batch once its adds have timed out', async () => {
    const { add, turn, pass, commit, batches, idsOf } = setUp();
    const adding = add(note(1), note(2, 'refused'), note(2));
    await turn();
    await commit();
    expect(idsOf(0)).toEqual([1]);
    // With the circuit closed again, which would keep the other half back, too.
    await pass(2_050);
    expect(await values(adding)).toEqual([late, late, late]);
    await commit();
    expect(batches).toEqual([]);
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

  test('has room again after a waiting add has timed out', async () => {
    const { add, turn, pass, commit } = setUp({ maxWaiting: 1 });
    add(note(1));
    await turn();
    await pass(1_000);
    add(note(2));
    await pass(1_050);
    const third = add(note(3));
    await commit();
    await commit();
    await commit();
    expect(await values(third)).toEqual(['added']);
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

  test('does not start another write while an add of the one in flight has not timed out', async () => {
    const { add, turn, pass, batches } = setUp();
    add(note(1));
    await pass(1_000);
    add(note(2));
    await turn();
    await pass(1_000);
    add(note(3));
    await turn();
    expect(batches).toHaveLength(1);
  });

  test('rejects each add at its own deadline, written or not, and writes no add after that', async () => {
    const { add, turn, pass, commit, batches } = setUp();
    const first = add(note(1));
    await turn();
    await pass(500);
    const second = add(note(2));
    await pass(500);
    const third = add(note(3));
    await pass(1_000);
    expect(await values(first)).toEqual([late]);
    await pass(500);
    expect(await values(second)).toEqual([late]);
    expect(batches.map(({ items }) => items)).toEqual([[note(1)], [note(2), note(3)]]);
    await commit();
    await commit();
    expect(await values(third)).toEqual(['added']);
  });

  test('rejects waiting adds at once when a write has taken the whole timeout, until a probe succeeds', async () => {
    const { add, turn, pass, commit, batches, engine } = setUp();
    engine.probe.mockRejectedValue(new Unavailable('still down'));
    const first = add(note(1));
    await pass(500);
    const second = add(note(2));
    await turn();
    const third = add(note(3));
    await pass(2_000);
    expect([await values(first), await values(second), await values(third)]).toEqual([[late], [late], [late]]);
    const fourth = add(note(4));
    await turn();
    expect(await values(fourth)).toEqual([`${late} (circuit breaker open)`]);
    expect(batches.map(({ items }) => items)).toEqual([[note(1), note(2)]]);
    engine.probe.mockResolvedValue();
    await pass(1_000);
    const fifth = add(note(5));
    await turn();
    await commit();
    await commit();
    expect(await values(fifth)).toEqual(['added']);
  });

  test('does not write an add that timed out in the queue', async () => {
    const { add, turn, pass, commit, idsOf } = setUp();
    const first = add(note(1));
    await turn();
    await pass(1_999);
    const early = add(note(2));
    await commit();
    await first;
    const second = add(note(3));
    await pass(999);
    expect(idsOf(0)).toEqual([2]);
    add(note(4));
    await pass(1_900);
    await commit();
    expect(await values(early)).toEqual([late]);
    expect(await values(second)).toEqual([late]);
    expect(idsOf(0)).toEqual([4]);
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

  test('starts the next write beside one whose adds have all timed out, and ignores how that one ends', async () => {
    const { add, turn, pass, commit, idsOf } = setUp();
    add(note(1));
    await turn();
    await pass(2_050);
    const next = add(note(2));
    await turn();
    expect(idsOf(1)).toEqual([2]);
    await commit();
    const third = add(note(3));
    await turn();
    expect(idsOf(1)).toBeUndefined();
    await commit();
    await commit();
    expect([await values(next), await values(third)]).toEqual([['added'], ['added']]);
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

  test('opens no circuit for a write that times out when another has succeeded meanwhile, but reports it', async () => {
    const wrote = vi.fn<Wrote>();
    const { add, turn, pass, commit, batches, idsOf } = setUp({ maxBatch: 1, maxWrites: 2 }, { wrote });
    const stuck = add(note(1));
    await turn();
    const quick = add(note(2));
    await turn();
    batches.reverse();
    await commit();
    expect(await values(quick)).toEqual(['added']);
    await pass(2_000);
    expect(wrote.mock.calls).toEqual([
      ['done', 1, 0],
      ['failed', 1, 2],
    ]);
    expect(await values(stuck)).toEqual([late]);
    const next = add(note(3));
    await turn();
    expect(idsOf(1)).toEqual([3]);
    batches.reverse();
    await commit();
    expect(await values(next)).toEqual(['added']);
  });

  test('has at most one timer, and none when no add waits', async () => {
    const { add, turn, pass, commit, timers } = setUp();
    add(note(1), note(2), note(3));
    await turn();
    await commit();
    expect(timers).toHaveLength(1);
    await pass(2_000);
    expect(timers).toHaveLength(0);
  });

  test('does not read the caller’s object again', async () => {
    const { submit, turn, commit, rows } = setUp();
    const mine = { id: 1, text: 'mine' };
    const adding = submit(mine);
    mine.text = 'changed';
    await turn();
    await commit();
    await adding;
    expect(rows.get(1)).toBe('mine');
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
  /** A store in which the first plant of each write conflicts, and is settled when the test says so. */
  function withConflicts() {
    const conflicts: {
      items: readonly Note[];
      settle: (outcome: Done<Added> | Refused) => void;
      leave(): void;
      fail(error: Error): void;
    }[] = [];
    const virtual = virtualPlatform();
    const wrote = vi.fn<Wrote>();
    const store = groupCommit(
      {
        ...idle,
        write: async (items) => items.map((_, at): Outcome<Added> => (at === 0 ? 'conflict' : { done: 'added' })),
        settle: (items, _deadline, done) =>
          new Promise((resolve, reject) => {
            conflicts.push({
              items,
              settle(outcome) {
                for (const { id } of items) done(id, outcome);
                resolve();
              },
              leave: resolve,
              fail: reject,
            });
          }),
        isTransient: (error) => error instanceof Error && error.message === 'transient',
      },
      notes,
      { maxBatch: 9, maxWrites: 1 },
      { wrote },
      virtual.platform,
    );
    const add = async (...items: Note[]) => {
      const adding = items.map((each) => store.submit(each));
      await virtual.turn();
      return adding;
    };
    return { ...virtual, store, add, conflicts, wrote };
  }
  const has: Added = { has: 'earlier' };

  test('delays neither the other plants of its batch nor the next write', async () => {
    const { add, conflicts } = withConflicts();
    const [first, second] = await add(note(1), note(2));
    expect(await second).toEqual('added');
    const [, fourth] = await add(note(3), note(4));
    expect(await fourth).toEqual('added');
    conflicts[0]?.settle({ done: has });
    expect(await first).toEqual(has);
  });

  test('is all that settle is asked for, and without one it is not called', async () => {
    const { platform, turn } = virtualPlatform();
    const settle = vi.fn<Required<Engine>['settle']>(async (items, _deadline, done) => {
      for (const { id } of items) done(id, { done: has });
    });
    const write: Engine['write'] = async (items) =>
      items.map(({ text }) => (text === 'conflicts' ? 'conflict' : { done: 'added' }));
    const store = groupCommit({ ...idle, write, settle }, notes, {}, {}, platform);
    for (const items of [[note(1)], [note(2), note(3, 'conflicts')]]) {
      const adding = Promise.all(items.map((each) => store.submit(each)));
      await turn();
      await adding;
    }
    expect(settle.mock.calls.map(([items]) => items)).toEqual([[note(3, 'conflicts')]]);
  });

  test('decides the results of later adds of its id', async () => {
    const { add, conflicts } = withConflicts();
    const adding = await add(note(1, 'a'), note(1, 'b'), note(2));
    conflicts[0]?.settle({ done: 'added' });
    expect((await Promise.all(adding)).slice(0, 2)).toEqual(['added', { has: 'a' }]);
  });

  test('may be refused alone', async () => {
    const { add, conflicts } = withConflicts();
    const [first, repeat, neighbour] = await add(note(1), note(1), note(2));
    conflicts[0]?.settle({ refused: new RangeError('refused') });
    for (const each of [first, repeat]) await expect(each).rejects.toThrow('refused');
    expect(await neighbour).toEqual('added');
  });

  test('is retried after a transient failure, and fails with any other', async () => {
    const { add, conflicts, pass } = withConflicts();
    const [first] = await add(note(1));
    conflicts[0]?.fail(new Unavailable('transient'));
    await pass(0);
    expect(conflicts).toHaveLength(1);
    await settled();
    await pass(40);
    conflicts[1]?.fail(new Unavailable('down'));
    await expect(first).rejects.toThrow(/^down$/);
  });

  test('is not asked for when its add had timed out before', async () => {
    const { platform, turn, pass } = virtualPlatform();
    const writes: (() => void)[] = [];
    const write: Engine['write'] = (items) =>
      new Promise((resolve) => void writes.push(() => resolve(items.map(() => 'conflict'))));
    const settle = vi.fn<Required<Engine>['settle']>(async (items, _deadline, done) => {
      for (const { id } of items) done(id, { done: has });
    });
    const limits = { maxWrites: 1, timeoutMs: 2_000, maxWaitMs: 2_000 };
    const { submit } = groupCommit({ ...idle, write, settle }, notes, limits, {}, platform);
    const first = submit(note(1));
    await turn();
    const second = expect(submit(note(2))).rejects.toThrow('did not respond');
    await pass(900);
    writes.shift()?.();
    await settled();
    expect(await first).toEqual(has);
    await pass(1_100);
    await second;
    writes.shift()?.();
    await settled();
    expect(settle).toHaveBeenCalledTimes(1);
  });

  test('times out like any other, and close waits for it', async () => {
    const { store, add, pass } = withConflicts();
    const [first] = await add(note(1), note(2));
    let isClosed = false;
    const closing = store.close().then(() => {
      isClosed = true;
    });
    await settled();
    expect(isClosed).toBe(false);
    const failed = expect(first).rejects.toThrow('did not respond within 2000 ms');
    await pass(2_000);
    await failed;
    await closing;
  });

  test('opens no circuit and counts as stored when it times out', async () => {
    const { add, pass, wrote } = withConflicts();
    const [first] = await add(note(1));
    const failed = expect(first).rejects.toThrow('did not respond');
    await pass(2_000);
    await failed;
    expect(wrote.mock.calls).toEqual([['done', 1, 0]]);
    const [, next] = await add(note(2), note(3));
    expect(await next).toEqual('added');
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

  test('is not asked for again once a later attempt has settled it', async () => {
    const { add, conflicts, pass } = withConflicts();
    const [first] = await add(note(1));
    conflicts[0]?.leave();
    await settled();
    await pass(10);
    conflicts[1]?.settle({ done: has });
    expect(await first).toEqual(has);
    await pass(200);
    expect(conflicts).toHaveLength(2);
  });
});

test('a plant that the engine refuses by its result fails alone, and the next one with its id is tried', async () => {
  const { platform, turn } = virtualPlatform();
  const write = vi.fn<Engine['write']>(async (items) =>
    items.map(
      ({ text }): Outcome<Added> => (text === 'refused' ? { refused: new RangeError('refused') } : { done: 'added' }),
    ),
  );
  const store = groupCommit({ ...idle, write }, notes, {}, {}, platform);
  const adding = Promise.allSettled(
    [note(1, 'refused'), note(2), note(1, 'a'), note(1, 'b'), note(3, 'refused')].map((each) => store.submit(each)),
  );
  await turn();
  expect(await values(adding)).toEqual(['RangeError: refused', 'added', 'added', { has: 'a' }, 'RangeError: refused']);
  expect(write).toHaveBeenCalledTimes(2);
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

describe('a failure', () => {
  test('is retried when it is transient, before its add is rejected', async () => {
    const retried = vi.fn<() => void>();
    const { platform, turn, pass } = virtualPlatform();
    const write = vi
      .fn<Engine['write']>()
      .mockRejectedValueOnce(new Unavailable('lost'))
      .mockResolvedValueOnce([{ done: 'added' }]);
    const store = groupCommit({ ...idle, write, isTransient: () => true }, notes, {}, { retried }, platform);
    const adding = store.submit(note(1));
    await turn();
    await pass(40);
    expect(await adding).toEqual('added');
    expect(retried).toHaveBeenCalledTimes(1);
  });

  test('opens the circuit until a probe or a check succeeds', async () => {
    const circuit = vi.fn<Circuit>();
    const { store, add, turn, pass, commit, batches, engine } = setUp({}, { circuit });
    for (let round = 1; round <= 3; round += 1) {
      engine.probe.mockRejectedValue(new Unavailable('still down'));
      const failing = add(note(1));
      await turn();
      batches.shift()?.fail(new Unavailable('down'));
      expect(await values(failing)).toEqual(['Unavailable: down']);
      for (let others = 1; others <= 2; others += 1) {
        const refused = add(note(2));
        expect(await values(refused)).toEqual(['Unavailable: down (circuit breaker open)']);
        await pass(100);
      }
      expect(engine.probe).toHaveBeenCalled();
      engine.probe.mockResolvedValue();
      if (round < 3) await pass(500);
      else await store.check();
      const next = add(note(2 + round));
      await turn();
      await commit();
      expect(await values(next)).toEqual(['added']);
    }
    expect(circuit.mock.calls.flat()).toEqual(['closed', ...Array(3).fill(['open', 'closed']).flat()]);
  });
});

test('what an open circuit refuses counts as no write, whether it came before or after', async () => {
  const written: unknown[] = [];
  const { add, turn, batches } = setUp({}, { wrote: (...write) => written.push(write) });
  const failing = add(note(1));
  await turn();
  const waiting = add(note(2));
  batches.shift()?.fail(new Unavailable('down'));
  await failing;
  const refused = ['Unavailable: down (circuit breaker open)'];
  expect(await values(waiting)).toEqual(refused);
  expect(await values(add(note(3)))).toEqual(refused);
  expect(written).toEqual([['failed', 1, 0]]);
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

  test('does not join a probe that has ended', async () => {
    const { store, engine } = setUp();
    await store.check();
    engine.probe.mockRejectedValueOnce(new Unavailable('down'));
    await store.check().catch(() => {});
    await store.check();
    expect(engine.probe).toHaveBeenCalledTimes(3);
  });

  test('throws what the probe throws', async () => {
    const { store, engine } = setUp();
    engine.probe.mockRejectedValue(new Unavailable('down'));
    await expect(store.check()).rejects.toThrow(new Unavailable('down'));
  });

  test('throws what a probe throws at once', async () => {
    const { store, engine } = setUp();
    engine.probe.mockImplementation(() => {
      throw new Unavailable('down');
    });
    await expect(store.check()).rejects.toThrow(new Unavailable('down'));
  });

  test('that finds the store unsafe opens the circuit although adds succeed; any other failure does not', async () => {
    const { store, add, turn, commit, pass, engine } = setUp();
    const adding = async (id: number) => {
      const added = add(note(id));
      await turn();
      await commit();
      return values(added);
    };
    for (const Failure of [Unavailable, Misconfigured]) {
      engine.probe.mockRejectedValueOnce(new Failure('a password in rotation'));
      await expect(store.check()).rejects.toThrow('a password in rotation');
      expect(await adding(1)).not.toEqual([expect.stringContaining('circuit')]);
    }
    engine.probe.mockRejectedValueOnce(new Unsafe('not durable'));
    await expect(store.check()).rejects.toThrow('not durable');
    expect(await adding(2)).toEqual(['Misconfigured: not durable (circuit breaker open)']);
    await pass(100);
    expect(await adding(3)).toEqual(['added']);
  });

  test('leaves no timer behind', async () => {
    const { store, engine, timers } = setUp();
    await store.check();
    engine.probe.mockRejectedValueOnce(new Unavailable('down'));
    await store.check().catch(() => {});
    await settled();
    expect(timers).toHaveLength(0);
  });

  test('times out when the probe hangs', async () => {
    const { store, engine, pass } = setUp();
    engine.probe.mockReturnValue(new Promise(() => {}));
    const checking = expect(store.check()).rejects.toThrow('the engine did not respond within 2000 ms');
    await pass(2_000);
    await checking;
  });
});

test('an engine without a circuit breaker is tried again at once', async () => {
  const circuit = vi.fn<Circuit>();
  const { platform, turn } = virtualPlatform();
  const write = vi
    .fn<Engine['write']>()
    .mockRejectedValueOnce(new Unavailable('locked'))
    .mockResolvedValueOnce([{ done: 'added' }]);
  const engine = { ...idle, write, hasCircuitBreaker: false };
  const { submit } = groupCommit(engine, notes, {}, { circuit }, platform);
  const first = values(Promise.allSettled([submit(note(1))]));
  await turn();
  const second = submit(note(2));
  await turn();
  expect(await first).toEqual(['Unavailable: locked']);
  expect(await second).toEqual('added');
  expect(circuit).not.toHaveBeenCalled();
});

describe('closing', () => {
  test('waits for adds and checks in flight, refuses others at once, and closes the engine once', async () => {
    const { store, add, turn, commit, batches, engine } = setUp({ maxBatch: 1, maxWrites: 2 });
    const probe = Promise.withResolvers<void>();
    engine.probe.mockReturnValue(probe.promise);
    const adding = add(note(1), note(2));
    const checking = store.check();
    const closing = store.close();
    expect(store.close()).toBe(closing);
    await expect(store.submit(note(3))).rejects.toThrow(new Unavailable('the engine is closed'));
    await expect(store.check()).rejects.toThrow(new Unavailable('the engine is closed'));
    await turn();
    batches.shift()?.fail(new Unavailable('gone'));
    await settled();
    expect(engine.close).not.toHaveBeenCalled();
    await commit();
    expect(await values(adding)).toEqual(['Unavailable: gone', 'added']);
    expect(engine.close).not.toHaveBeenCalled();
    probe.resolve();
    await Promise.all([checking, closing]);
    expect(engine.close).toHaveBeenCalledTimes(1);
  });

  test('waits for the last add', async () => {
    const { store, add, turn, commit, engine } = setUp({ maxBatch: 1, maxWrites: 2 });
    add(note(1), note(2));
    const closing = store.close();
    await turn();
    await commit();
    expect(engine.close).not.toHaveBeenCalled();
    await commit();
    await closing;
  });

  test('ends the probing of an engine that cannot answer', async () => {
    const { store, add, turn, pass, batches, engine, timers } = setUp();
    const failing = add(note(1));
    await turn();
    batches.shift()?.fail(new Unavailable('down'));
    await failing;
    await store.close();
    await pass(2_000);
    expect(engine.close).toHaveBeenCalledTimes(1);
    expect(engine.probe).not.toHaveBeenCalled();
    expect(timers).toHaveLength(0);
  });

  test('waits for an add although an earlier one was settled twice: it timed out, and was stored', async () => {
    const { store, add, turn, pass, commit, engine } = setUp();
    add(note(1));
    await pass(1_000);
    await turn();
    await pass(1_000);
    await commit();
    add(note(2));
    const closing = store.close();
    await turn();
    expect(engine.close).not.toHaveBeenCalled();
    await commit();
    await closing;
  });
});

test('a plant that conflicts is not written again with the other half of its batch', async () => {
  const { platform, turn } = virtualPlatform();
  const written: number[][] = [];
  const store = groupCommit(
    {
      ...idle,
      async write(items) {
        written.push(items.map(({ id }) => id));
        if (items.some(({ text }) => text === 'refused')) throw new RangeError('refused');
        return items.map(() => 'conflict');
      },
      async settle(items, _deadline, done) {
        for (const { id } of items) done(id, { done: 'added' });
      },
    },
    notes,
    {},
    {},
    platform,
  );
  const adding = Promise.allSettled([note(1), note(2, 'refused')].map((each) => store.submit(each)));
  await turn();
  expect(await values(adding)).toEqual(['added', 'RangeError: refused']);
  expect(written).toEqual([[1, 2], [1], [2]]);
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

  test('leaves one beside it that is refused to fail alone', async () => {
    const { add, turn, pass, locked } = withLocks({ 1: 'locked', 2: 'refused' });
    const adding = add(1, 2, 3);
    await turn();
    delete locked[1];
    await pass(10);
    expect(await adding).toEqual(['added', 'RangeError: refused', 'added']);
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
