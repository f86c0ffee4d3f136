import { expect, onTestFinished, test, vi } from 'vitest';
import type { BatchEngine, ItemSpec } from '../src/batch-engine.ts';
import { Misconfigured, Overloaded, Unavailable, Unsafe } from '../src/errors.ts';
import type { GroupCommitEvents } from '../src/events.ts';
import { groupCommit } from '../src/group-commit.ts';
import { type GroupCommitLimits, groupCommitLimits, limitsOf } from '../src/limits.ts';
import { processPlatform } from '../src/platform.ts';
import { virtualPlatform } from './virtual-platform.ts';

// What the simulation does not look at: messages, fixed numbers, and what an engine or a spec does wrong.

type Engine = BatchEngine<number, 'added'>;

const added = { done: 'added' } as const;
const byId: ItemSpec<number, number, 'added'> = { keyOf: (id) => id };

/** A store over an engine that adds everything, unless it is given otherwise, and a clock that goes on when it is told to. */
function start(engine: Partial<Engine>, limits: GroupCommitLimits = {}, events: GroupCommitEvents = {}, spec = byId) {
  const virtual = virtualPlatform();
  const write: Engine['write'] = async (items) => items.map(() => added);
  const whole = { write, probe: async () => {}, close: async () => {}, ...engine };
  const store = groupCommit(whole, spec, { maxWrites: 1, ...limits }, events, virtual.platform);
  /** What becomes of each, so many milliseconds later. */
  async function add(items: readonly number[], ms = 0): Promise<unknown[]> {
    const settling = Promise.allSettled(items.map(store.submit));
    await virtual.turn();
    await virtual.pass(ms);
    return (await settling).map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason)));
  }
  return { ...virtual, store, add };
}

const conflict: Engine['write'] = async (items) => items.map(() => 'conflict');
const never = () => new Promise<never>(() => {});
const keyOf = (id: number) => (id === 1 ? expect.fail('no key') : id);
const timedOut = 'Unavailable: the engine did not respond within 2000 ms';
const unsettled = 'Unavailable: conflicting until the deadline: ';

test.each<[string, Partial<Engine>, readonly number[], readonly unknown[], ItemSpec<number, number, 'added'>?]>([
  [
    'does not give an outcome for each item',
    { write: async () => [] },
    [1],
    ['Error: the engine gave 0 outcomes for 1 items; it has to give one for each, in their order'],
  ],
  [
    'has conflicts and no settle',
    { write: conflict },
    [1],
    ['Error: write left items in conflict, and there is no settle'],
  ],
  ['never settles some', { write: conflict, settle: conflict }, [1, 2, 3], Array(3).fill(`${unsettled}1, 2, 3`)],
  ['never settles many', { write: conflict, settle: conflict }, [1, 2, 3, 4], Array(4).fill(`${unsettled}1, 2, 3, …`)],
  ['does not respond', { write: never }, [1], [timedOut]],
  [
    'is sound, and the spec finds no key for an item',
    {},
    [1, 2],
    [expect.stringContaining('no key'), 'added'],
    { keyOf },
  ],
])('if an engine %s, its items are told so', async (_, engine, items, answers, spec) => {
  expect(await start(engine, {}, {}, spec).add(items, 2_000)).toEqual(answers);
});

test('what conflicts is settled after pauses that grow to 160 ms, until just before the deadline', async () => {
  const attempts: number[] = [];
  const settle: Engine['settle'] = async (items) => {
    attempts.push(platform.now());
    return items.map(() => 'conflict');
  };
  const { add, platform } = start({ write: conflict, settle });
  await add([1], 2_000);
  const pauses = attempts.slice(1).map((time, at) => time - (attempts[at] ?? 0));
  expect(pauses[0]).toBeLessThanOrEqual(10);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(160);
  expect(pauses.length).toBeLessThan(30);
  expect(attempts.at(-1)).toBeLessThanOrEqual(1_980);
});

test('a write that takes longer than its time-out opens the circuit', async () => {
  const { add } = start({ write: never });
  await add([1], 2_000);
  expect(await add([2])).toEqual([`${timedOut} (circuit breaker open)`]);
});

test('nothing is written again once nobody waits for it and the engine is closed', async () => {
  const write = vi.fn<Engine['write']>(async (items) => {
    await platform.sleep(write.mock.calls.length === 1 ? 100 : 1_950);
    if (items.includes(2)) throw new Unavailable('lost');
    return items.map(() => added);
  });
  const { store, platform, turn, pass } = start({ write, isTransient: () => true });
  void store.submit(1);
  await turn();
  store.submit(2).catch(() => {});
  await pass(2_010);
  await store.close();
  await pass(100);
  expect(write).toHaveBeenCalledTimes(2);
});

test('a check joins the probe under way for 5 s, whatever becomes of earlier ones', async () => {
  const first = Promise.withResolvers<void>();
  const probe = vi.fn<Engine['probe']>(never).mockReturnValueOnce(first.promise);
  const { store, pass } = start({ probe });
  const check = () => store.check().catch(() => {});
  void Promise.all([check(), check()]);
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
  const { add } = start({ write: write.mockRejectedValue(new Unavailable('down')), isTransient }, {}, figures);
  expect(await add([1], 100)).toEqual(['Unavailable: down']);
  expect(figures.told).toEqual(['closed', '0 waiting', 'retried', 'failed 1', 'open', 'closed']);
});

test('a timer calls back unless it is cancelled, and keeps the process running if it is asked to', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  const callback = vi.fn<(which: string) => void>();
  processPlatform.after(1, () => callback('cancelled'))();
  processPlatform.after(1, () => callback('kept'));
  processPlatform.after(1, () => callback('kept alive'), true);
  expect(timers.mock.results.map(({ value }) => value.hasRef())).toEqual([false, false, true]);
  await processPlatform.sleep(5);
  expect(callback.mock.calls).toEqual([['kept'], ['kept alive']]);
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
])('the limits %o are refused, and the longest that a timer takes is none', (limits, found) => {
  const error = new RangeError(`${found}; expected a whole number from 1 to 2147483647`);
  expect(() => start({}, limits)).toThrow(error);
  expect(limitsOf(groupCommitLimits, { timeoutMs: 2 ** 31 - 1 })).toHaveProperty('timeoutMs', 2 ** 31 - 1);
});
