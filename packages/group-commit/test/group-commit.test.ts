import {
  type AddResult,
  type NewPlant,
  type Plant,
  StoreMisconfigured,
  type StoreObserver,
  StoreUnavailable,
} from '@plant-store/domain';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { groupCommitStore } from '../src/group-commit-store.ts';
import { completeLimits, type GroupCommitLimits } from '../src/limits.ts';
import { processPlatform } from '../src/platform.ts';
import type { InsertResult, StorageEngine } from '../src/storage-engine.ts';
import { unobserved } from '../src/unobserved.ts';
import { UnsafeStore } from '../src/unsafe-store.ts';
import { settled, virtualPlatform } from './virtual-platform.ts';

const plant = (id: number, name = `plant ${id}`): NewPlant => ({ id: BigInt(id), name });

/** A store that writes when it is told to, and a platform whose time passes when it is told to. */
function setUp(limits: GroupCommitLimits = {}, observer: Partial<StoreObserver> = {}) {
  const rows = new Map<bigint, Plant>();
  const batches: { plants: readonly NewPlant[]; commit: () => void; fail: (reason: unknown) => void }[] = [];
  const insertBatch: StorageEngine['insertBatch'] = (plants) =>
    new Promise((resolve, reject) => {
      const commit = () => {
        const refused = plants.find(({ name }) => name === 'refused');
        if (refused) reject(new RangeError(`refused ${refused.id}`));
        else resolve(plants.map(({ id, name }) => addRow(id, { name })));
      };
      batches.push({ plants, commit, fail: reject });
    });
  function addRow(id: bigint, row: Plant): AddResult {
    const existing = rows.get(id);
    if (existing) return { outcome: 'exists', plant: existing };
    rows.set(id, row);
    return { outcome: 'added' };
  }

  const engine = { insertBatch, probe: vi.fn(async () => {}), close: vi.fn(async () => {}) };
  const virtual = virtualPlatform();
  const store = groupCommitStore(
    engine,
    { maxBatch: 100, maxWaiting: 1_000, maxWrites: 1, maxWaitMs: 2_000, timeoutMs: 2_000, ...limits },
    { ...unobserved, ...observer },
    virtual.platform,
  );
  return {
    ...virtual,
    store,
    engine,
    plants: store.plants,
    rows,
    batches,
    add: (...plants: NewPlant[]) => Promise.allSettled(plants.map((each) => store.plants.add(each))),
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
    idsOf: (batch: number) => batches[batch]?.plants.map(({ id }) => Number(id)),
  };
}

const late = 'StoreUnavailable: the store did not respond within 2000 ms';

/** What an engine has whose inserting alone is looked at. */
const idle = { probe: async () => {}, close: async () => {} };

const values = async (settled: Promise<PromiseSettledResult<AddResult>[]>) =>
  (await settled).map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason)));

describe('a group-commit store', () => {
  test('writes adds that arrive together with one commit, and those that arrive meanwhile with the next', async () => {
    const { add, turn, commit, idsOf, batches } = setUp();
    const first = add(plant(1), plant(2));
    await turn();
    expect(idsOf(0)).toEqual([1, 2]);
    const second = add(plant(3), plant(4));
    await turn();
    expect(batches).toHaveLength(1);
    await commit();
    expect(await values(first)).toEqual([{ outcome: 'added' }, { outcome: 'added' }]);
    expect(idsOf(0)).toEqual([3, 4]);
    await commit();
    expect(await values(second)).toEqual([{ outcome: 'added' }, { outcome: 'added' }]);
  });

  test('defers once for all adds that arrive together, and not at all while all writes are in flight', async () => {
    const { add, turn, commit, deferred } = setUp();
    add(plant(1), plant(2), plant(3));
    expect(deferred).toHaveLength(1);
    await turn();
    add(plant(4));
    expect(deferred).toHaveLength(0);
    await commit();
    await commit();
    add(plant(5));
    expect(deferred).toHaveLength(1);
  });

  test('passes plants without a member for an absent tag', async () => {
    const { add, turn, batches } = setUp();
    add(plant(1), { id: 2n, name: 'b', tag: '' });
    await turn();
    expect(batches[0]?.plants).toStrictEqual([plant(1), { id: 2n, name: 'b', tag: '' }]);
  });

  test('settles no add before the commit', async () => {
    const { plants, turn, commit } = setUp();
    let answered = false;
    const adding = plants.add(plant(1)).then(() => {
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
    add(plant(1), plant(2), plant(3), plant(4), plant(5));
    await turn();
    expect(batches).toHaveLength(2);
    expect([idsOf(0), idsOf(1)]).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  test('writes the first of equal ids, and resolves the others with the plant that has the id', async () => {
    const { add, turn, commit, idsOf } = setUp();
    const adding = add(plant(1, 'a'), plant(1, 'a'), plant(1, 'b'), plant(2));
    await turn();
    expect(idsOf(0)).toEqual([1, 2]);
    await commit();
    const exists = { outcome: 'exists', plant: { name: 'a' } };
    expect(await values(adding)).toEqual([{ outcome: 'added' }, exists, exists, { outcome: 'added' }]);
  });

  test('resolves equal ids with the plant that had the id before', async () => {
    const { add, turn, commit, rows } = setUp();
    rows.set(1n, { name: 'earlier' });
    const adding = add(plant(1, 'a'), plant(1, 'b'));
    await turn();
    await commit();
    const exists = { outcome: 'exists', plant: { name: 'earlier' } };
    expect(await values(adding)).toEqual([exists, exists]);
  });

  test('keeps an absent tag absent and an empty one empty in the results of equal ids', async () => {
    const { plants, turn, commit } = setUp();
    const adding = Promise.all([
      plants.add({ id: 1n, name: 'a', tag: '' }),
      plants.add({ id: 1n, name: 'b' }),
      plants.add({ id: 2n, name: 'c' }),
      plants.add({ id: 2n, name: 'd', tag: '' }),
    ]);
    await turn();
    await commit();
    expect((await adding).filter((result) => result.outcome === 'exists')).toStrictEqual([
      { outcome: 'exists', plant: { name: 'a', tag: '' } },
      { outcome: 'exists', plant: { name: 'c' } },
    ]);
  });

  test('rejects a refused plant alone, wherever it is in the batch and whatever is beside it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(8), fc.constantFrom('a', 'b', 'refused')), { minLength: 1, maxLength: 12 }),
        async (drawn) => {
          const { add, turn, commitAll, rows } = setUp();
          const plants = drawn.map(([id, name]) => plant(id, name));
          const adding = add(...plants);
          await turn();
          await commitAll();
          const results = await values(adding);
          for (const [at, { id, name }] of plants.entries()) {
            const before = plants.slice(0, at).find((other) => other.id === id && other.name !== 'refused');
            if (name === 'refused' && !before) expect(results[at]).toBe(`RangeError: refused ${id}`);
            else if (name !== 'refused' && !before) expect(results[at]).toEqual({ outcome: 'added' });
            else if (name !== 'refused') expect(results[at]).toEqual({ outcome: 'exists', plant: rows.get(id) });
          }
        },
      ),
    );
  });

  test('finds a refused plant by halving the batch', async () => {
    const { add, turn, commit, batches } = setUp();
    add(plant(1), plant(2), plant(3, 'refused'), plant(4), plant(1));
    await turn();
    const written: number[][] = [];
    while (batches.length > 0) {
      written.push(batches[0]?.plants.map(({ id }) => Number(id)) ?? []);
      await commit();
    }
    expect(written).toEqual([[1, 2, 3, 4], [1, 2], [3, 4], [3], [4]]);
  });

  test('rejects a batch that fails and the adds that wait behind it, and writes again once the store recovers', async () => {
    const { add, turn, commit, pass, batches } = setUp();
    const first = add(plant(1), plant(1), plant(2));
    await turn();
    const second = add(plant(3));
    batches.shift()?.fail(new StoreUnavailable('gone'));
    expect(new Set(await values(first))).toEqual(new Set(['StoreUnavailable: gone']));
    await settled();
    expect(await values(second)).toEqual(['StoreUnavailable: gone (circuit breaker open)']);
    await pass(50);
    const third = add(plant(4));
    await turn();
    await commit();
    expect(await values(third)).toEqual([{ outcome: 'added' }]);
  });

  test('throws when insertBatch does not return a result for each plant', async () => {
    const { plants } = groupCommitStore({ ...idle, insertBatch: async () => [] });
    await expect(plants.add(plant(1))).rejects.toThrow('insertBatch gave 0 results for 1 plants');
  });

  test('writes a plant whose own add has timed out while a later add of its id waits, in halves as well', async () => {
    const { add, turn, pass, commitAll } = setUp();
    const first = add(plant(1, 'a'));
    await pass(500);
    const second = add(plant(1, 'c'));
    await pass(500);
    const others = add(plant(1, 'b'), plant(2, 'refused'));
    await turn();
    await pass(1_500);
    await commitAll();
    expect(await values(first)).toEqual([late]);
    expect(await values(second)).toEqual([late]);
    expect(await values(others)).toEqual([{ outcome: 'exists', plant: { name: 'a' } }, 'RangeError: refused 2']);
  });

  test('writes a plant whose own add has timed out while the only later one of its id waits', async () => {
    const { add, turn, pass, commitAll, rows } = setUp();
    const first = add(plant(1, 'a'));
    await pass(1_000);
    const others = add(plant(1, 'b'), plant(2, 'refused'));
    await turn();
    await pass(1_500);
    await commitAll();
    expect(await values(first)).toEqual([late]);
    expect(await values(others)).toEqual([{ outcome: 'exists', plant: { name: 'a' } }, 'RangeError: refused 2']);
    expect(rows.size).toBe(1);
  });

  test('writes nothing more of a refused batch once its adds have timed out', async () => {
    const { add, turn, pass, commit, batches, idsOf } = setUp();
    const adding = add(plant(1), plant(2, 'refused'), plant(2));
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
    add(plant(1));
    await turn();
    add(plant(2), plant(3));
    const results = await values(add(plant(4)));
    expect(results).toEqual(['StoreUnavailable: 2 adds are waiting for the store already']);
  });

  test('writes at most maxBatchText at once, but a plant with more alone', async () => {
    const { add, turn, commitAll, batches } = setUp({ maxBatchText: 10, maxWrites: 9 });
    const adding = add(plant(1, 'x'.repeat(4)), plant(2, 'x'.repeat(6)), plant(3, 'x'), plant(4, 'x'.repeat(50)), {
      ...plant(5, 'x'),
      tag: 'x'.repeat(9),
    });
    await turn();
    expect(batches.map(({ plants }) => plants.map(({ id }) => Number(id)))).toEqual([[1, 2], [3], [4], [5]]);
    await commitAll();
    expect(await values(adding)).toEqual(Array(5).fill({ outcome: 'added' }));
  });

  test('has room again after a waiting add has timed out', async () => {
    const { add, turn, pass, commit } = setUp({ maxWaiting: 1 });
    add(plant(1));
    await turn();
    await pass(1_000);
    add(plant(2));
    await pass(1_050);
    const third = add(plant(3));
    await commit();
    await commit();
    await commit();
    expect(await values(third)).toEqual([{ outcome: 'added' }]);
  });

  test('has room for what comes as a process thaws, whose waiting adds have all timed out', async () => {
    const { add, turn, pass, commit } = setUp({ maxWaiting: 1 });
    const first = add(plant(1));
    await pass(2_000);
    expect(await values(first)).toEqual([late]);
    const second = add(plant(2));
    await turn();
    await commit();
    expect(await values(second)).toEqual([{ outcome: 'added' }]);
  });

  test('once the store proves slow, refuses those that came last, and counts the others', async () => {
    let waiting = () => -1;
    const { add, turn, pass, commit } = setUp(
      { maxBatch: 5, maxWaitMs: 100 },
      {
        watchWaitingAdds: (count) => {
          waiting = count;
        },
      },
    );
    add(plant(1));
    await turn();
    const others = add(...Array.from({ length: 20 }, (_, at) => plant(2 + at)));
    // Two writes of 500 ms confirm what a write costs. A fifth more than the next write has may wait then.
    for (let writes = 0; writes < 2; writes += 1) {
      await pass(500);
      await commit();
    }
    expect(waiting()).toBe(1);
    const next = add(plant(30));
    for (let writes = 0; writes < 2; writes += 1) await commit();
    expect(await values(next)).toEqual([{ outcome: 'added' }]);
    expect(await values(others)).toEqual([
      ...Array(11).fill({ outcome: 'added' }),
      ...Array(9).fill('StoreUnavailable: 15 adds are waiting for the store already'),
    ]);
  });

  test('refuses no add while nothing waits or is written, however slow the store was', async () => {
    const { add, turn, pass, commit } = setUp({ maxWaitMs: 10 });
    let next = 1;
    for (const [plants, ms] of [
      [50, 1],
      [5, 60],
      [5, 1_900],
    ] as const) {
      add(...Array.from({ length: plants }, () => plant(next++)));
      await turn();
      await pass(ms);
      await commit();
    }
    // Each of the last ten has cost more than 10 ms.
    const adding = add(plant(next));
    await turn();
    await commit();
    expect(await values(adding)).toEqual([{ outcome: 'added' }]);
  });

  test.each([
    [249, 100],
    [250, 40],
  ])('after a write of 10 plants that took %i ms, with 2 s to wait, writes %i of 100', async (ms, written) => {
    const { add, turn, pass, commit, batches } = setUp();
    const plants = (count: number) => Array.from({ length: count }, (_, at) => plant(at));
    add(...plants(10));
    await turn();
    await pass(ms);
    await commit();
    add(...plants(100));
    await turn();
    expect(batches[0]?.plants).toHaveLength(written);
  });

  test('writes as many as ever once a small write has shown that its plants cost little', async () => {
    const { add, turn, pass, commit, batches } = setUp();
    const plants = (count: number) => Array.from({ length: count }, (_, at) => plant(at));
    for (const [count, ms] of [
      [10, 1_000],
      [2, 10],
    ] as const) {
      add(...plants(count));
      await turn();
      await pass(ms);
      await commit();
    }
    add(...plants(100));
    await turn();
    expect(batches[0]?.plants).toHaveLength(100);
  });

  test('does not start another write while an add of the one in flight has not timed out', async () => {
    const { add, turn, pass, batches } = setUp();
    add(plant(1));
    await pass(1_000);
    add(plant(2));
    await turn();
    await pass(1_000);
    add(plant(3));
    await turn();
    expect(batches).toHaveLength(1);
  });

  test('rejects each add at its own deadline, written or not, and writes no add after that', async () => {
    const { add, turn, pass, commit, batches } = setUp();
    const first = add(plant(1));
    await turn();
    await pass(500);
    const second = add(plant(2));
    await pass(500);
    const third = add(plant(3));
    await pass(1_000);
    expect(await values(first)).toEqual([late]);
    await pass(500);
    expect(await values(second)).toEqual([late]);
    expect(batches.map(({ plants }) => plants)).toEqual([[plant(1)], [plant(2), plant(3)]]);
    await commit();
    await commit();
    expect(await values(third)).toEqual([{ outcome: 'added' }]);
  });

  test('rejects waiting adds at once when a write has taken the whole timeout, until a probe succeeds', async () => {
    const { add, turn, pass, commit, batches, engine } = setUp();
    engine.probe.mockRejectedValue(new StoreUnavailable('still down'));
    const first = add(plant(1));
    await pass(500);
    const second = add(plant(2));
    await turn();
    const third = add(plant(3));
    await pass(2_000);
    expect([await values(first), await values(second), await values(third)]).toEqual([[late], [late], [late]]);
    const fourth = add(plant(4));
    await turn();
    expect(await values(fourth)).toEqual([`${late} (circuit breaker open)`]);
    expect(batches.map(({ plants }) => plants)).toEqual([[plant(1), plant(2)]]);
    engine.probe.mockResolvedValue();
    await pass(1_000);
    const fifth = add(plant(5));
    await turn();
    await commit();
    await commit();
    expect(await values(fifth)).toEqual([{ outcome: 'added' }]);
  });

  test('does not write an add that timed out in the queue', async () => {
    const { add, turn, pass, commit, idsOf } = setUp();
    const first = add(plant(1));
    await turn();
    await pass(1_999);
    const early = add(plant(2));
    await commit();
    await first;
    const second = add(plant(3));
    await pass(999);
    expect(idsOf(0)).toEqual([2]);
    add(plant(4));
    await pass(1_900);
    await commit();
    expect(await values(early)).toEqual([late]);
    expect(await values(second)).toEqual([late]);
    expect(idsOf(0)).toEqual([4]);
  });

  test('a write that queued 1.3 s and takes 1.3 s opens no circuit, counts as stored, and is learned from', async () => {
    const wrote = vi.fn<StoreObserver['wrote']>();
    const circuit = vi.fn<StoreObserver['circuit']>();
    const { add, turn, pass, commit, rows } = setUp({ maxWaitMs: 650 }, { wrote, circuit });
    const plants = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => plant(from + at));
    const first = add(plant(1));
    await turn();
    const second = add(...plants(2, 42));
    await pass(1_300);
    await commit();
    expect(await values(first)).toEqual([{ outcome: 'added' }]);
    await pass(1_300);
    expect(await values(second)).toEqual(Array(40).fill(late));
    await commit();
    expect(rows.size).toBe(41);
    expect(wrote.mock.calls).toEqual([
      ['stored', 1, 1.3],
      ['stored', 40, 1.3],
    ]);
    expect(circuit.mock.calls.flat()).toEqual(['closed']);
    // The fixed part of both writes is 1.3 s: of these, as many may wait as fit into half of such a write.
    const third = values(add(...plants(100, 500)));
    await turn();
    for (let writes = 0; writes < 4; writes += 1) await commit();
    expect((await third).filter((result) => typeof result === 'string').length).toBeGreaterThan(200);
  });

  test('starts the next write beside one whose adds have all timed out, and ignores how that one ends', async () => {
    const { add, turn, pass, commit, idsOf } = setUp();
    add(plant(1));
    await turn();
    await pass(2_050);
    const next = add(plant(2));
    await turn();
    expect(idsOf(1)).toEqual([2]);
    await commit();
    const third = add(plant(3));
    await turn();
    expect(idsOf(1)).toBeUndefined();
    await commit();
    await commit();
    expect([await values(next), await values(third)]).toEqual([[{ outcome: 'added' }], [{ outcome: 'added' }]]);
  });

  test.each([
    ['stored', (write: { commit(): void }) => write.commit()],
    ['failed', (write: { fail(reason: unknown): void }) => write.fail(new StoreUnavailable('down'))],
    ['refused', (write: { fail(reason: unknown): void }) => write.fail(new RangeError('refused'))],
  ])('counts a write that is %s after its timeout once, and opens the circuit once', async (_, end) => {
    const wrote = vi.fn<StoreObserver['wrote']>();
    const circuit = vi.fn<StoreObserver['circuit']>();
    const { add, turn, pass, batches } = setUp({}, { wrote, circuit });
    add(plant(1), plant(2));
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
    const wrote = vi.fn<StoreObserver['wrote']>();
    const { add, turn, pass, commit, batches, idsOf } = setUp({ maxBatch: 1, maxWrites: 2 }, { wrote });
    const stuck = add(plant(1));
    await turn();
    const quick = add(plant(2));
    await turn();
    batches.reverse();
    await commit();
    expect(await values(quick)).toEqual([{ outcome: 'added' }]);
    await pass(2_000);
    expect(wrote.mock.calls).toEqual([
      ['stored', 1, 0],
      ['failed', 1, 2],
    ]);
    expect(await values(stuck)).toEqual([late]);
    const next = add(plant(3));
    await turn();
    expect(idsOf(1)).toEqual([3]);
    batches.reverse();
    await commit();
    expect(await values(next)).toEqual([{ outcome: 'added' }]);
  });

  test('has at most one timer, and none when no add waits', async () => {
    const { add, turn, pass, commit, timers } = setUp();
    add(plant(1), plant(2), plant(3));
    await turn();
    await commit();
    expect(timers).toHaveLength(1);
    await pass(2_000);
    expect(timers).toHaveLength(0);
  });

  test('does not read the caller’s object again', async () => {
    const { plants, turn, commit, rows } = setUp();
    const mine = { id: 1n, name: 'mine' };
    const adding = plants.add(mine);
    mine.name = 'changed';
    await turn();
    await commit();
    await adding;
    expect(rows.get(1n)).toEqual({ name: 'mine' });
  });

  test('reports the size, duration and outcome of each write, and how many adds wait', async () => {
    const written: unknown[] = [];
    let waiting = () => -1;
    const { add, turn, commit, pass, batches } = setUp(
      { maxBatch: 2 },
      {
        watchWaitingAdds: (count) => {
          waiting = count;
        },
        wrote: (...write) => written.push(write),
      },
    );
    expect(waiting()).toBe(0);
    void add(plant(1), plant(2), plant(3), plant(4, 'refused'));
    expect(waiting()).toBe(4);
    await turn();
    expect(waiting()).toBe(2);
    await pass(250);
    await commit();
    expect(written).toEqual([['stored', 2, 0.25]]);
    expect(waiting()).toBe(0);
    for (let writes = 0; writes < 3; writes += 1) await commit();
    expect(written.slice(1)).toEqual([
      ['failed', 2, 0],
      ['stored', 1, 0],
      ['failed', 1, 0],
    ]);
    expect(batches).toEqual([]);
  });
});

describe('a conflicting plant', () => {
  /** A store in which the first plant of each write conflicts, and is settled when the test says so. */
  function withConflicts() {
    const conflicts: {
      plants: readonly NewPlant[];
      settle: (result: AddResult | Error) => void;
      leave(): void;
      fail(error: Error): void;
    }[] = [];
    const virtual = virtualPlatform();
    const wrote = vi.fn<StoreObserver['wrote']>();
    const store = groupCommitStore(
      {
        ...idle,
        insertBatch: async (plants) =>
          plants.map((_, at): InsertResult => (at === 0 ? undefined : { outcome: 'added' })),
        resolveConflicts: (plants, _deadline, settle) =>
          new Promise((resolve, reject) => {
            conflicts.push({
              plants,
              settle(result) {
                for (const { id } of plants) settle(id, result);
                resolve();
              },
              leave: resolve,
              fail: reject,
            });
          }),
        isTransient: (error) => error instanceof Error && error.message === 'transient',
      },
      { maxBatch: 9, maxWrites: 1 },
      { ...unobserved, wrote },
      virtual.platform,
    );
    const add = async (...plants: NewPlant[]) => {
      const adding = plants.map((each) => store.plants.add(each));
      await virtual.turn();
      return adding;
    };
    return { ...virtual, store, add, conflicts, wrote };
  }
  const exists: AddResult = { outcome: 'exists', plant: { name: 'earlier' } };

  test('delays neither the other plants of its batch nor the next write', async () => {
    const { add, conflicts } = withConflicts();
    const [first, second] = await add(plant(1), plant(2));
    expect(await second).toEqual({ outcome: 'added' });
    const [, fourth] = await add(plant(3), plant(4));
    expect(await fourth).toEqual({ outcome: 'added' });
    conflicts[0]?.settle(exists);
    expect(await first).toEqual(exists);
  });

  test('is all that resolveConflicts is asked for, and without one it is not called', async () => {
    const { platform, turn } = virtualPlatform();
    const resolveConflicts = vi.fn<Required<StorageEngine>['resolveConflicts']>(async (plants, _deadline, settle) => {
      for (const { id } of plants) settle(id, exists);
    });
    const insertBatch: StorageEngine['insertBatch'] = async (plants) =>
      plants.map(({ name }) => (name === 'conflicts' ? undefined : { outcome: 'added' }));
    const store = groupCommitStore({ ...idle, insertBatch, resolveConflicts }, {}, unobserved, platform);
    for (const plants of [[plant(1)], [plant(2), plant(3, 'conflicts')]]) {
      const adding = Promise.all(plants.map((each) => store.plants.add(each)));
      await turn();
      await adding;
    }
    expect(resolveConflicts.mock.calls.map(([plants]) => plants)).toEqual([[plant(3, 'conflicts')]]);
  });

  test('decides the results of later adds of its id', async () => {
    const { add, conflicts } = withConflicts();
    const adding = await add(plant(1, 'a'), plant(1, 'b'), plant(2));
    conflicts[0]?.settle({ outcome: 'added' });
    expect((await Promise.all(adding)).slice(0, 2)).toEqual([
      { outcome: 'added' },
      { outcome: 'exists', plant: { name: 'a' } },
    ]);
  });

  test('may be refused alone', async () => {
    const { add, conflicts } = withConflicts();
    const [first, repeat, neighbour] = await add(plant(1), plant(1), plant(2));
    conflicts[0]?.settle(new RangeError('refused'));
    for (const each of [first, repeat]) await expect(each).rejects.toThrow('refused');
    expect(await neighbour).toEqual({ outcome: 'added' });
  });

  test('is retried after a transient failure, and fails with any other', async () => {
    const { add, conflicts, pass } = withConflicts();
    const [first] = await add(plant(1));
    conflicts[0]?.fail(new StoreUnavailable('transient'));
    await pass(0);
    expect(conflicts).toHaveLength(1);
    await settled();
    await pass(40);
    conflicts[1]?.fail(new StoreUnavailable('down'));
    await expect(first).rejects.toThrow(/^down$/);
  });

  test('is not asked for when its add had timed out before', async () => {
    const { platform, turn, pass } = virtualPlatform();
    const writes: (() => void)[] = [];
    const insertBatch: StorageEngine['insertBatch'] = (plants) =>
      new Promise((resolve) => void writes.push(() => resolve(plants.map(() => undefined))));
    const resolveConflicts = vi.fn<Required<StorageEngine>['resolveConflicts']>(async (plants, _deadline, settle) => {
      for (const { id } of plants) settle(id, exists);
    });
    const limits = { maxWrites: 1, timeoutMs: 2_000, maxWaitMs: 2_000 };
    const { plants } = groupCommitStore({ ...idle, insertBatch, resolveConflicts }, limits, unobserved, platform);
    const first = plants.add(plant(1));
    await turn();
    const second = expect(plants.add(plant(2))).rejects.toThrow('did not respond');
    await pass(900);
    writes.shift()?.();
    await settled();
    expect(await first).toEqual(exists);
    await pass(1_100);
    await second;
    writes.shift()?.();
    await settled();
    expect(resolveConflicts).toHaveBeenCalledTimes(1);
  });

  test('times out like any other, and close waits for it', async () => {
    const { store, add, pass } = withConflicts();
    const [first] = await add(plant(1), plant(2));
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
    const [first] = await add(plant(1));
    const failed = expect(first).rejects.toThrow('did not respond');
    await pass(2_000);
    await failed;
    expect(wrote.mock.calls).toEqual([['stored', 1, 0]]);
    const [, next] = await add(plant(2), plant(3));
    expect(await next).toEqual({ outcome: 'added' });
  });

  test('is rejected if the engine has no way to resolve it', async () => {
    const { plants } = groupCommitStore({ ...idle, insertBatch: async () => [undefined] });
    await expect(plants.add(plant(1))).rejects.toThrow('there is no resolveConflicts');
  });

  test.each([
    [1, 'the row of plant 1: end its transaction (a view shows it)', 'a view'],
    [3, 'rows among those of plants 1, 2, 3: end its transaction;', undefined],
    [4, 'rows among those of plants 1, 2, 3, …: end its transaction (a view shows it)', 'a view'],
  ])(
    'and %i that stay locked are tried again after pauses that grow, until the deadline',
    async (count, rows, view) => {
      const { platform, turn, pass } = virtualPlatform();
      const attempts: number[] = [];
      const store = groupCommitStore(
        {
          ...idle,
          insertBatch: async (plants) => plants.map(() => undefined),
          async resolveConflicts() {
            attempts.push(platform.now());
          },
          ...(view !== undefined && { sessionsView: view }),
        },
        { timeoutMs: 2_000 },
        unobserved,
        platform,
      );
      const adding = Promise.allSettled(Array.from({ length: count }, (_, at) => store.plants.add(plant(at + 1))));
      await turn();
      await pass(2_000);
      for (const result of await adding)
        expect(result).toMatchObject({ reason: { message: expect.stringContaining(`has locked ${rows}`) } });
      const pauses = attempts.slice(1).map((time, at) => time - (attempts[at] ?? 0));
      // 10 ms, and twice as long each time up to 160 ms, less up to a half.
      for (const [at, pause] of pauses.entries()) {
        const longest = Math.min(160, 10 * 2 ** at);
        expect(pause).toBeGreaterThanOrEqual(longest / 2);
        expect(pause).toBeLessThanOrEqual(longest);
      }
      expect(attempts.at(-1)).toBeGreaterThan(2_000 - 2 * 160);
      expect(attempts.at(-1)).toBeLessThanOrEqual(2_000);
    },
  );

  test('is not asked for again once a later attempt has settled it', async () => {
    const { add, conflicts, pass } = withConflicts();
    const [first] = await add(plant(1));
    conflicts[0]?.leave();
    await settled();
    await pass(10);
    conflicts[1]?.settle(exists);
    expect(await first).toEqual(exists);
    await pass(200);
    expect(conflicts).toHaveLength(2);
  });
});

test('a plant that the engine refuses by its result fails alone, and the next one with its id is tried', async () => {
  const { platform, turn } = virtualPlatform();
  const insertBatch = vi.fn<StorageEngine['insertBatch']>(async (plants) =>
    plants.map(({ name }): InsertResult => (name === 'refused' ? new RangeError('refused') : { outcome: 'added' })),
  );
  const store = groupCommitStore({ ...idle, insertBatch }, {}, unobserved, platform);
  const adding = Promise.allSettled(
    [plant(1, 'refused'), plant(2), plant(1, 'a'), plant(1, 'b'), plant(3, 'refused')].map((each) =>
      store.plants.add(each),
    ),
  );
  await turn();
  expect(await values(adding)).toEqual([
    'RangeError: refused',
    { outcome: 'added' },
    { outcome: 'added' },
    { outcome: 'exists', plant: { name: 'a' } },
    'RangeError: refused',
  ]);
  expect(insertBatch).toHaveBeenCalledTimes(2);
});

test('a retry of conflicts asks only for those that are not settled yet', async () => {
  const { platform, turn, pass } = virtualPlatform();
  const asked: bigint[][] = [];
  const store = groupCommitStore(
    {
      ...idle,
      insertBatch: async (plants) => plants.map(() => undefined),
      async resolveConflicts(plants, _deadline, settle) {
        asked.push(plants.map(({ id }) => id));
        for (const { id } of asked.length === 1 ? plants.slice(1) : plants) settle(id, { outcome: 'added' });
        if (asked.length === 1) throw new StoreUnavailable('lost');
      },
      isTransient: () => true,
    },
    {},
    unobserved,
    platform,
  );
  const adding = Promise.all([1, 2, 3].map((id) => store.plants.add(plant(id))));
  await turn();
  await pass(40);
  expect(await adding).toHaveLength(3);
  expect(asked).toEqual([[1n, 2n, 3n], [1n]]);
});

describe('a failure', () => {
  test('is retried when it is transient, before its add is rejected', async () => {
    const retried = vi.fn<() => void>();
    const { platform, turn, pass } = virtualPlatform();
    const insertBatch = vi
      .fn<StorageEngine['insertBatch']>()
      .mockRejectedValueOnce(new StoreUnavailable('lost'))
      .mockResolvedValueOnce([{ outcome: 'added' }]);
    const store = groupCommitStore(
      { ...idle, insertBatch, isTransient: () => true },
      {},
      { ...unobserved, retried },
      platform,
    );
    const adding = store.plants.add(plant(1));
    await turn();
    await pass(40);
    expect(await adding).toEqual({ outcome: 'added' });
    expect(retried).toHaveBeenCalledTimes(1);
  });

  test('opens the circuit until a probe or a check succeeds', async () => {
    const circuit = vi.fn<StoreObserver['circuit']>();
    const { store, add, turn, pass, commit, batches, engine } = setUp({}, { circuit });
    for (let round = 1; round <= 3; round += 1) {
      engine.probe.mockRejectedValue(new StoreUnavailable('still down'));
      const failing = add(plant(1));
      await turn();
      batches.shift()?.fail(new StoreUnavailable('down'));
      expect(await values(failing)).toEqual(['StoreUnavailable: down']);
      for (let others = 1; others <= 2; others += 1) {
        const refused = add(plant(2));
        expect(await values(refused)).toEqual(['StoreUnavailable: down (circuit breaker open)']);
        await pass(100);
      }
      expect(engine.probe).toHaveBeenCalled();
      engine.probe.mockResolvedValue();
      if (round < 3) await pass(500);
      else await store.check();
      const next = add(plant(2 + round));
      await turn();
      await commit();
      expect(await values(next)).toEqual([{ outcome: 'added' }]);
    }
    expect(circuit.mock.calls.flat()).toEqual(['closed', ...Array(3).fill(['open', 'closed']).flat()]);
  });
});

test('what an open circuit refuses counts as no write, whether it came before or after', async () => {
  const written: unknown[] = [];
  const { add, turn, batches } = setUp({}, { wrote: (...write) => written.push(write) });
  const failing = add(plant(1));
  await turn();
  const waiting = add(plant(2));
  batches.shift()?.fail(new StoreUnavailable('down'));
  await failing;
  const refused = ['StoreUnavailable: down (circuit breaker open)'];
  expect(await values(waiting)).toEqual(refused);
  expect(await values(add(plant(3)))).toEqual(refused);
  expect(written).toEqual([['failed', 1, 0]]);
});

describe('a check', () => {
  test('joins the probe under way, of a check or of the circuit breaker, for 5 s, whatever becomes of earlier ones', async () => {
    const { store, engine, pass, add, turn, batches } = setUp();
    const check = () => store.check().catch(() => {});
    const first = Promise.withResolvers<void>();
    engine.probe.mockReturnValueOnce(first.promise).mockReturnValue(new Promise(() => {}));
    void Promise.all([check(), check()]);
    const failing = add(plant(1));
    await turn();
    batches.shift()?.fail(new StoreUnavailable('down'));
    await failing;
    await pass(4_999);
    void check();
    expect(engine.probe).toHaveBeenCalledTimes(1);
    await pass(1);
    void check();
    first.reject(new StoreUnavailable('down'));
    await pass(3_000);
    void check();
    expect(engine.probe).toHaveBeenCalledTimes(2);
  });

  test('does not join a probe that has ended', async () => {
    const { store, engine } = setUp();
    await store.check();
    engine.probe.mockRejectedValueOnce(new StoreUnavailable('down'));
    await store.check().catch(() => {});
    await store.check();
    expect(engine.probe).toHaveBeenCalledTimes(3);
  });

  test('throws what the probe throws', async () => {
    const { store, engine } = setUp();
    engine.probe.mockRejectedValue(new StoreUnavailable('down'));
    await expect(store.check()).rejects.toThrow(new StoreUnavailable('down'));
  });

  test('throws what a probe throws at once', async () => {
    const { store, engine } = setUp();
    engine.probe.mockImplementation(() => {
      throw new StoreUnavailable('down');
    });
    await expect(store.check()).rejects.toThrow(new StoreUnavailable('down'));
  });

  test('that finds the store unsafe opens the circuit although adds succeed; any other failure does not', async () => {
    const { store, add, turn, commit, pass, engine } = setUp();
    const adding = async (id: number) => {
      const added = add(plant(id));
      await turn();
      await commit();
      return values(added);
    };
    for (const Failure of [StoreUnavailable, StoreMisconfigured]) {
      engine.probe.mockRejectedValueOnce(new Failure('a password in rotation'));
      await expect(store.check()).rejects.toThrow('a password in rotation');
      expect(await adding(1)).not.toEqual([expect.stringContaining('circuit')]);
    }
    engine.probe.mockRejectedValueOnce(new UnsafeStore('not durable'));
    await expect(store.check()).rejects.toThrow('not durable');
    expect(await adding(2)).toEqual(['StoreUnavailable: not durable (circuit breaker open)']);
    await pass(100);
    expect(await adding(3)).toEqual([{ outcome: 'added' }]);
  });

  test('leaves no timer behind', async () => {
    const { store, engine, timers } = setUp();
    await store.check();
    engine.probe.mockRejectedValueOnce(new StoreUnavailable('down'));
    await store.check().catch(() => {});
    await settled();
    expect(timers).toHaveLength(0);
  });

  test('times out when the probe hangs', async () => {
    const { store, engine, pass } = setUp();
    engine.probe.mockReturnValue(new Promise(() => {}));
    const checking = expect(store.check()).rejects.toThrow('the store did not respond within 2000 ms');
    await pass(2_000);
    await checking;
  });
});

test('an engine without a circuit breaker is tried again at once', async () => {
  const circuit = vi.fn<StoreObserver['circuit']>();
  const { platform, turn } = virtualPlatform();
  const insertBatch = vi
    .fn<StorageEngine['insertBatch']>()
    .mockRejectedValueOnce(new StoreUnavailable('locked'))
    .mockResolvedValueOnce([{ outcome: 'added' }]);
  const engine = { ...idle, insertBatch, hasCircuitBreaker: false };
  const { plants } = groupCommitStore(engine, {}, { ...unobserved, circuit }, platform);
  const first = values(Promise.allSettled([plants.add(plant(1))]));
  await turn();
  const second = plants.add(plant(2));
  await turn();
  expect(await first).toEqual(['StoreUnavailable: locked']);
  expect(await second).toEqual({ outcome: 'added' });
  expect(circuit).not.toHaveBeenCalled();
});

describe('closing', () => {
  test('waits for adds and checks in flight, refuses others at once, and closes the engine once', async () => {
    const { store, add, turn, commit, batches, engine } = setUp({ maxBatch: 1, maxWrites: 2 });
    const probe = Promise.withResolvers<void>();
    engine.probe.mockReturnValue(probe.promise);
    const adding = add(plant(1), plant(2));
    const checking = store.check();
    const closing = store.close();
    expect(store.close()).toBe(closing);
    await expect(store.plants.add(plant(3))).rejects.toThrow(new StoreUnavailable('the store is closed'));
    await expect(store.check()).rejects.toThrow(new StoreUnavailable('the store is closed'));
    await turn();
    batches.shift()?.fail(new StoreUnavailable('gone'));
    await settled();
    expect(engine.close).not.toHaveBeenCalled();
    await commit();
    expect(await values(adding)).toEqual(['StoreUnavailable: gone', { outcome: 'added' }]);
    expect(engine.close).not.toHaveBeenCalled();
    probe.resolve();
    await Promise.all([checking, closing]);
    expect(engine.close).toHaveBeenCalledTimes(1);
  });

  test('waits for the last add', async () => {
    const { store, add, turn, commit, engine } = setUp({ maxBatch: 1, maxWrites: 2 });
    add(plant(1), plant(2));
    const closing = store.close();
    await turn();
    await commit();
    expect(engine.close).not.toHaveBeenCalled();
    await commit();
    await closing;
  });

  test('ends the probing of an engine that cannot answer', async () => {
    const { store, add, turn, pass, batches, engine, timers } = setUp();
    const failing = add(plant(1));
    await turn();
    batches.shift()?.fail(new StoreUnavailable('down'));
    await failing;
    await store.close();
    await pass(2_000);
    expect(engine.close).toHaveBeenCalledTimes(1);
    expect(engine.probe).not.toHaveBeenCalled();
    expect(timers).toHaveLength(0);
  });

  test('waits for an add although an earlier one was settled twice: it timed out, and was stored', async () => {
    const { store, add, turn, pass, commit, engine } = setUp();
    add(plant(1));
    await pass(1_000);
    await turn();
    await pass(1_000);
    await commit();
    add(plant(2));
    const closing = store.close();
    await turn();
    expect(engine.close).not.toHaveBeenCalled();
    await commit();
    await closing;
  });
});

test('a plant that conflicts is not written again with the other half of its batch', async () => {
  const { platform, turn } = virtualPlatform();
  const written: bigint[][] = [];
  const store = groupCommitStore(
    {
      ...idle,
      async insertBatch(plants) {
        written.push(plants.map(({ id }) => id));
        if (plants.some(({ name }) => name === 'refused')) throw new RangeError('refused');
        return plants.map(() => undefined);
      },
      async resolveConflicts(plants, _deadline, settle) {
        for (const { id } of plants) settle(id, { outcome: 'added' });
      },
    },
    {},
    unobserved,
    platform,
  );
  const adding = Promise.allSettled([plant(1), plant(2, 'refused')].map((each) => store.plants.add(each)));
  await turn();
  expect(await values(adding)).toEqual([{ outcome: 'added' }, 'RangeError: refused']);
  expect(written).toEqual([[1n, 2n], [1n], [2n]]);
});

test('a timer calls back while one sleeps, and one that is cancelled does not', async () => {
  const callback = vi.fn<(which: string) => void>();
  processPlatform.after(1, () => callback('cancelled'))();
  processPlatform.after(1, () => callback('kept'));
  await processPlatform.sleep(5);
  expect(callback.mock.calls).toEqual([['kept']]);
});

test.each<[GroupCommitLimits & { answerWithinMs?: number }, string]>([
  [{ answerWithinMs: 500 }, 'answerWithinMs is now timeoutMs; rename the option'],
  [{ maxBatch: 0 }, 'maxBatch is 0; expected a whole number from 1 to 2147483647'],
  [{ timeoutMs: Number.NaN }, 'timeoutMs is NaN; expected a whole number from 1 to 2147483647'],
  [{ maxWaitMs: 1.5 }, 'maxWaitMs is 1.5; expected a whole number from 1 to 2147483647'],
  [{ maxWaiting: 2 ** 31 }, 'maxWaiting is 2147483648; expected a whole number from 1 to 2147483647'],
])('the limits %o are refused', (limits, message) => {
  expect(() => groupCommitStore({ ...idle, insertBatch: async () => [] }, limits)).toThrow(new RangeError(message));
});

test('the longest time that a timer takes is a limit', () => {
  expect(completeLimits({ timeoutMs: 2 ** 31 - 1 })).toHaveProperty('timeoutMs', 2 ** 31 - 1);
});
