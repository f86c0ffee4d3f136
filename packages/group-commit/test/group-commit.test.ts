import { type AddResult, type NewPlant, type Plant, StoreUnavailable } from '@plant-store/domain';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AddAll, type GatherOptions, gatherAdds } from '../src/group-commit.ts';

const plant = (id: number, name = `plant ${id}`): NewPlant => ({ id: BigInt(id), name });

/** A store that writes when it is told to, and a platform whose time passes when it is told to. */
function setUp(options: Partial<GatherOptions> = {}) {
  const rows = new Map<bigint, Plant>();
  const batches: { plants: readonly NewPlant[]; commit: () => void; fail: (reason: unknown) => void }[] = [];
  const addAll: AddAll = (plants) =>
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

  let time = 0;
  const timers: { at: number; callback: () => void }[] = [];
  const deferred: (() => void)[] = [];
  const gathered = gatherAdds(addAll, {
    maxBatch: 100,
    maxBatchText: 1_000_000,
    maxWaiting: 1_000,
    maxWaitingText: 10_000_000,
    maxWrites: 1,
    maxWaitMs: 2_000,
    timeoutMs: 2_000,
    platform: {
      now: () => time,
      after: (ms, callback) => void timers.push({ at: time + ms, callback }),
      defer: (callback) => void deferred.push(callback),
    },
    ...options,
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    gathered,
    rows,
    batches,
    timers,
    deferred,
    add: (...plants: NewPlant[]) => Promise.allSettled(plants.map((each) => gathered.add(each))),
    /** The input that has arrived was looked at. */
    turn: async () => {
      for (const callback of deferred.splice(0)) callback();
      await settle();
    },
    /** The write that has waited longest ends. */
    commit: async () => {
      batches.shift()?.commit();
      await settle();
    },
    commitAll: async () => {
      while (batches.length > 0) {
        batches.shift()?.commit();
        await settle();
      }
    },
    pass: async (ms: number) => {
      time += ms;
      for (const { callback } of timers.splice(0, timers.findLastIndex(({ at }) => at <= time) + 1)) callback();
      await settle();
    },
    idsOf: (batch: number) => batches[batch]?.plants.map(({ id }) => Number(id)),
  };
}

const values = async (settled: Promise<PromiseSettledResult<AddResult>[]>) =>
  (await settled).map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason)));

describe('gatherAdds', () => {
  test('writes what came together with one commit, and what comes meanwhile with the next', async () => {
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

  test('asks to go on later once for all that comes together, and not at all while it may not write', async () => {
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

  test('hands over plants without a member for a tag that is not there', async () => {
    const { add, turn, batches } = setUp();
    add(plant(1), { id: 2n, name: 'b', tag: '' });
    await turn();
    expect(batches[0]?.plants).toStrictEqual([plant(1), { id: 2n, name: 'b', tag: '' }]);
  });

  test('answers nobody before the commit', async () => {
    const { gathered, turn, commit } = setUp();
    let answered = false;
    const adding = gathered.add(plant(1)).then(() => {
      answered = true;
    });
    await turn();
    expect(answered).toBe(false);
    await commit();
    await adding;
    expect(answered).toBe(true);
  });

  test('writes no more plants at once, and no more writes at once, than it may', async () => {
    const { add, turn, idsOf, batches } = setUp({ maxBatch: 2, maxWrites: 2 });
    add(plant(1), plant(2), plant(3), plant(4), plant(5));
    await turn();
    expect(batches).toHaveLength(2);
    expect([idsOf(0), idsOf(1)]).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  test('writes the first of equal ids, and answers the others with what has the id', async () => {
    const { add, turn, commit, idsOf } = setUp();
    const adding = add(plant(1, 'a'), plant(1, 'a'), plant(1, 'b'), plant(2));
    await turn();
    expect(idsOf(0)).toEqual([1, 2]);
    await commit();
    const exists = { outcome: 'exists', plant: { name: 'a' } };
    expect(await values(adding)).toEqual([{ outcome: 'added' }, exists, exists, { outcome: 'added' }]);
  });

  test('answers equal ids with the plant that had the id before', async () => {
    const { add, turn, commit, rows } = setUp();
    rows.set(1n, { name: 'earlier' });
    const adding = add(plant(1, 'a'), plant(1, 'b'));
    await turn();
    await commit();
    const exists = { outcome: 'exists', plant: { name: 'earlier' } };
    expect(await values(adding)).toEqual([exists, exists]);
  });

  test('keeps an absent tag absent and an empty one empty when it answers for the store', async () => {
    const { gathered, turn, commit } = setUp();
    const adding = Promise.all([
      gathered.add({ id: 1n, name: 'a', tag: '' }),
      gathered.add({ id: 1n, name: 'b' }),
      gathered.add({ id: 2n, name: 'c' }),
      gathered.add({ id: 2n, name: 'd', tag: '' }),
    ]);
    await turn();
    await commit();
    expect((await adding).filter((result) => result.outcome === 'exists')).toStrictEqual([
      { outcome: 'exists', plant: { name: 'a', tag: '' } },
      { outcome: 'exists', plant: { name: 'c' } },
    ]);
  });

  test('a plant that is refused fails alone, wherever it stands and whatever stands beside it', async () => {
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

  test('looks for the plant that is refused by halves, and writes no other twice beside it', async () => {
    const { add, turn, commit, batches } = setUp();
    add(plant(1), plant(2), plant(3, 'refused'), plant(4), plant(1));
    await turn();
    const written: number[][] = [];
    while (batches.length > 0) {
      written.push(batches[0]?.plants.map(({ id }) => Number(id)) ?? []);
      await commit();
    }
    expect(written).toEqual([[1, 2, 3, 4], [1, 2], [3, 4], [3], [4], [1]]);
  });

  test('fails the whole batch when the store cannot answer, and goes on with the next', async () => {
    const { add, turn, commit, batches } = setUp();
    const first = add(plant(1), plant(1), plant(2));
    await turn();
    const second = add(plant(3));
    batches.shift()?.fail(new StoreUnavailable('gone'));
    expect(new Set(await values(first))).toEqual(new Set(['StoreUnavailable: gone']));
    await commit();
    expect(await values(second)).toEqual([{ outcome: 'added' }]);
  });

  test('tells an adapter that does not answer every plant', async () => {
    const platform = { now: () => 0, after: () => {}, defer: (callback: () => void) => void setImmediate(callback) };
    const limits = {
      maxBatch: 9,
      maxBatchText: 99,
      maxWaiting: 9,
      maxWaitingText: 99,
      maxWrites: 1,
      maxWaitMs: 9,
      timeoutMs: 9,
    };
    const { add } = gatherAdds(async () => [], { ...limits, platform });
    await expect(add(plant(1))).rejects.toThrow('addAll answered 0 of 1 plants');
  });

  test('refuses at once what would make the queue longer than it may be', async () => {
    const { add, turn } = setUp({ maxWaiting: 2 });
    add(plant(1));
    await turn();
    add(plant(2), plant(3));
    const results = await values(add(plant(4)));
    expect(results).toEqual(['StoreUnavailable: 2 adds are waiting for the store already']);
  });

  test('writes no more text at once than it may, but a plant with more alone', async () => {
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

  test('refuses at once what would make the waiting text longer than it may be, until there is room again', async () => {
    const { add, turn, commit, pass } = setUp({ maxWaitingText: 10 });
    add(plant(1, 'x'.repeat(100)));
    await turn();
    add(plant(2, 'x'.repeat(10)));
    expect(await values(add(plant(3, 'x')))).toEqual(['StoreUnavailable: 1 adds are waiting for the store already']);
    await commit();
    const fourth = add(plant(4, 'x'));
    await commit();
    await commit();
    expect(await values(fourth)).toEqual([{ outcome: 'added' }]);
    add(plant(5, 'x'));
    await turn();
    add(plant(6, 'x'.repeat(10)));
    await pass(2_000);
    const seventh = add(plant(7, 'x'));
    await turn();
    await commit();
    await commit();
    expect(await values(seventh)).toEqual([{ outcome: 'added' }]);
  });

  test('has room again for those who gave up waiting', async () => {
    const { add, turn, pass, commit } = setUp({ maxWaiting: 1 });
    add(plant(1));
    await turn();
    await pass(1_000);
    add(plant(2));
    await pass(1_000);
    const third = add(plant(3));
    await commit();
    await commit();
    await commit();
    expect(await values(third)).toEqual([{ outcome: 'added' }]);
  });

  test('does not start another write while somebody still waits for the one under way', async () => {
    const { add, turn, pass, batches } = setUp();
    add(plant(1));
    await pass(1_000);
    add(plant(2));
    await turn();
    await pass(1_000);
    add(plant(3));
    await turn();
    expect(batches).toHaveLength(1);
    await pass(1_000);
    expect(batches).toHaveLength(2);
  });

  test('tells each caller when its time is up, whether its write has begun or not, and writes it no more', async () => {
    const { add, turn, pass, commit, batches } = setUp();
    const late = 'StoreUnavailable: the store has not answered within 2000 ms';
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

  test('does not write an add whose time was up before its turn came', async () => {
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
    expect(await values(early)).toEqual([expect.stringContaining('has not answered')]);
    expect(await values(second)).toEqual([expect.stringContaining('has not answered')]);
    expect(idsOf(0)).toEqual([4]);
  });

  test('a write that nobody waits for any more does not hold up the next, and does no harm when it ends', async () => {
    const { add, turn, pass, commit, idsOf } = setUp();
    add(plant(1));
    await turn();
    await pass(2_000);
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

  test('has one timer at the most, and none when nobody waits', async () => {
    const { add, turn, pass, commit, timers } = setUp();
    add(plant(1), plant(2), plant(3));
    await turn();
    await commit();
    expect(timers).toHaveLength(1);
    await pass(2_000);
    expect(timers).toHaveLength(0);
  });

  test('answered() resolves when every add was answered, one way or another', async () => {
    const { gathered, add, turn, commit, batches } = setUp({ maxBatch: 1, maxWrites: 2 });
    await gathered.answered();
    const adding = add(plant(1), plant(2));
    let all = false;
    const answered = gathered.answered().then(() => {
      all = true;
    });
    await turn();
    batches.shift()?.fail(new StoreUnavailable('gone'));
    await turn();
    expect(all).toBe(false);
    await commit();
    await Promise.all([adding, answered]);
    expect(all).toBe(true);
    await gathered.answered();
  });

  test('does not look at the caller’s object again', async () => {
    const { gathered, turn, commit, rows } = setUp();
    const mine = { id: 1n, name: 'mine' };
    const adding = gathered.add(mine);
    mine.name = 'changed';
    await turn();
    await commit();
    await adding;
    expect(rows.get(1n)).toEqual({ name: 'mine' });
  });

  test('each write is told of, with its size, its time and whether it went well; and how many adds wait', async () => {
    const written: unknown[] = [];
    let waiting = () => -1;
    const { add, turn, commit, pass, batches } = setUp({
      maxBatch: 2,
      observer: {
        watchWaitingAdds: (count) => {
          waiting = count;
        },
        wrote: (...write) => written.push(write),
      },
    });
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

describe('a result that takes longer than the write', () => {
  /** A store that has the first plant of each write, and answers it when it is told to. */
  function withLate() {
    const late: PromiseWithResolvers<AddResult>[] = [];
    let time = 0;
    const timers: { at: number; callback: () => void }[] = [];
    const { add, answered } = gatherAdds(
      async (plants) => {
        const first = Promise.withResolvers<AddResult>();
        late.push(first);
        return plants.map((_, at) => (at === 0 ? first.promise : { outcome: 'added' }));
      },
      {
        maxBatch: 9,
        maxBatchText: 99,
        maxWaiting: 9,
        maxWaitingText: 99,
        maxWrites: 1,
        maxWaitMs: 200,
        timeoutMs: 2_000,
        platform: {
          now: () => time,
          after: (ms, callback) => void timers.push({ at: time + ms, callback }),
          defer: (callback) => void setImmediate(callback),
        },
      },
    );
    const pass = (ms: number) => {
      time += ms;
      for (const { callback } of timers.splice(0)) callback();
    };
    return { add, answered, late, pass };
  }
  const exists: AddResult = { outcome: 'exists', plant: { name: 'earlier' } };

  test('keeps neither its neighbours waiting nor the next write', async () => {
    const { add, late } = withLate();
    const first = add(plant(1));
    expect(await add(plant(2))).toEqual({ outcome: 'added' });
    void add(plant(3));
    expect(await add(plant(4))).toEqual({ outcome: 'added' });
    late[0]?.resolve(exists);
    expect(await first).toEqual(exists);
  });

  test('is what the others with its id are answered', async () => {
    const { add, late } = withLate();
    const adding = [add(plant(1, 'a')), add(plant(1, 'b'))];
    await add(plant(2));
    late[0]?.resolve({ outcome: 'added' });
    expect(await Promise.all(adding)).toEqual([{ outcome: 'added' }, { outcome: 'exists', plant: { name: 'a' } }]);
  });

  test('may fail, alone', async () => {
    const { add, late } = withLate();
    const adding = [add(plant(1)), add(plant(1))];
    await add(plant(2));
    late[0]?.reject(new RangeError('refused'));
    for (const each of adding) await expect(each).rejects.toThrow('refused');
  });

  test('is waited for no longer than any other, and by answered()', async () => {
    const { add, answered, pass } = withLate();
    const first = add(plant(1));
    await add(plant(2));
    let all = false;
    const everyone = answered().then(() => {
      all = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(all).toBe(false);
    pass(2_000);
    await expect(first).rejects.toThrow('has not answered within 2000 ms');
    await everyone;
  });
});
