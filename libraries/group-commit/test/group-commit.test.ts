import { expect, onTestFinished, test, vi } from 'vitest';
import { Misconfigured, Overloaded, Unavailable, Unsafe } from '../src/errors.ts';
import type { GroupCommitEvents } from '../src/events.ts';
import { type GroupCommitLimits, groupCommitLimits, limitsOf } from '../src/limits.ts';
import { processPlatform } from '../src/platform.ts';
import { backoffMs } from '../src/retries.ts';
import { added, type Engine, type Spec, start } from './start.ts';

// Covers what the simulation does not: messages, exact numbers, and faulty engines and specs.

const conflict: Engine['write'] = async (items) => items.map(() => 'conflict');
const never = () => new Promise<never>(() => {});
const keyOf = (id: number) => (id === 1 ? expect.fail('no key') : id);
const unsettled = 'Unavailable: conflicting until the deadline: ';

test.each<[string, Partial<Engine>, readonly number[], readonly unknown[], Spec?]>([
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
  ['does not respond', { write: never }, [1], ['Unavailable: the engine did not respond within 2000 ms']],
  [
    'is sound, and the spec finds no key for an item',
    {},
    [1, 2],
    [expect.stringContaining('no key'), 'added'],
    { keyOf },
  ],
])('if an engine %s, the callers get the matching result', async (_, engine, items, answers, spec) => {
  const { store, turn, advance } = start(() => engine, {}, {}, spec);
  const settling = Promise.allSettled(items.map(store.submit));
  await turn();
  await advance(2_000);
  const settled = (await settling).map((result) => ('value' in result ? result.value : String(result.reason)));
  expect(settled).toEqual(answers);
});

test('a closing engine retries no write that has no callers', async () => {
  const write = vi.fn<Engine['write']>();
  const { store, burst, advance } = start(
    ({ sleep }) => {
      write.mockImplementation(async (items) => {
        await sleep(write.mock.calls.length === 1 ? 100 : 1_950);
        if (items.includes(2)) throw new Unavailable('lost');
        return items.map(() => added);
      });
      return { write, isTransient: () => true };
    },
    { maxWrites: 1 },
  );
  await burst(1);
  await burst(1);
  await advance(2_010);
  await store.close();
  await advance(100);
  expect(write).toHaveBeenCalledTimes(2);
});

test('pauses double up to the longest, minus a jitter of up to half', () => {
  for (const [attempt, longest] of [10, 20, 40, 80, 160, 160].entries()) {
    const pauses = Array.from({ length: 100 }, () => backoffMs(attempt, 10, 160) / longest);
    expect(Math.max(...pauses)).toSatisfy((pause) => pause > 0.9 && pause <= 1);
    expect(Math.min(...pauses)).toSatisfy((pause) => pause >= 0.5 && pause < 0.6);
  }
});

test('in an outage a tenth of the writes is retried, in addition to the initial budget', async () => {
  const write = vi.fn<Engine['write']>().mockRejectedValue(new Error('lost'));
  const { burst, advance } = start(() => ({ write, isTransient: () => true }));
  for (let count = 0; count < 300; count += 1) {
    await burst(1);
    await advance(100);
  }
  expect(write.mock.calls.length - 300).toSatisfy((retries) => retries >= 30 && retries <= 40);
});

test.each(['write', 'settle'] as const)('an unsafe %s opens the circuit although others succeed', async (method) => {
  const { burst, advance, results } = start(
    ({ sleep }) => {
      const fail = () => sleep(100).then(() => Promise.reject(new Unsafe('unsafe')));
      const write: Engine['write'] = async (items) => {
        if (!items.includes(1)) return items.map(() => added);
        return method === 'write' ? fail() : items.map(() => 'conflict' as const);
      };
      return { write, settle: fail, probe: () => Promise.reject(new Unsafe('unsafe')) };
    },
    { maxWrites: 2 },
  );
  await burst(1);
  await advance(50);
  await burst(1);
  await advance(60);
  await burst(1);
  const errors = results.map(({ error }) => error && String(error));
  expect(errors).toEqual([undefined, 'Unsafe: unsafe', 'Misconfigured: unsafe (circuit breaker open)']);
});

test('checks and the circuit breaker join the probe in flight for 5 s, whatever earlier probes do', async () => {
  const first = Promise.withResolvers<void>();
  const probe = vi.fn<Engine['probe']>(never).mockReturnValueOnce(first.promise);
  const { store, burst, advance } = start(() => ({ probe, write: () => Promise.reject(new Unavailable('down')) }));
  const check = () => void store.check().catch(() => {});
  check();
  check();
  await burst(1);
  await advance(4_999);
  expect(probe).toHaveBeenCalledTimes(1);
  // The maximum pause after which the circuit breaker probes again beside a hanging probe.
  await advance(1_001);
  expect(probe).toHaveBeenCalledTimes(2);
  first.reject(new Unavailable('down'));
  await advance(3_000);
  check();
  expect(probe).toHaveBeenCalledTimes(2);
});

test('events are called as methods of their object, which may be a class instance', async () => {
  class Figures implements GroupCommitEvents<string> {
    readonly reported: string[] = [];
    context() {
      return `after ${this.reported.length} events`;
    }
    watchWaiting(count: () => number) {
      this.reported.push(`${count()} waiting`);
    }
    wrote(outcome: string, items: number, _: number, contexts: readonly string[]) {
      this.reported.push(`${outcome} ${items}, submitted ${contexts}`);
    }
    retried() {
      this.reported.push('retried');
    }
    circuit(state: string) {
      this.reported.push(state);
    }
  }
  const figures = new Figures();
  const write = vi.fn<Engine['write']>().mockRejectedValueOnce(new Error('lost'));
  const isTransient = (error: unknown) => !(error instanceof Unavailable);
  const { burst, advance } = start(
    () => ({ write: write.mockRejectedValue(new Unavailable('down')), isTransient }),
    {},
    figures,
  );
  await burst(1);
  await advance(100);
  expect(figures.reported).toEqual([
    'closed',
    '0 waiting',
    'retried',
    'failed 1, submitted after 2 events',
    'open',
    'closed',
  ]);
});

test('a timer calls back unless it is cancelled, and keeps the process alive if it is asked to', async () => {
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

test('errors have distinct names', () => {
  const all = [new Unavailable('x'), new Misconfigured('x'), new Unsafe('x'), new Overloaded('x')];
  expect(all.map(String)).toEqual(['Unavailable: x', 'Misconfigured: x', 'Unsafe: x', 'Overloaded: x']);
});

test.each<[GroupCommitLimits, string]>([
  [{ maxBatch: 0 }, 'maxBatch is 0'],
  [{ timeoutMs: Number.NaN }, 'timeoutMs is NaN'],
  [{ maxWaitMs: 1.5 }, 'maxWaitMs is 1.5'],
  [{ maxWaiting: 2 ** 31 }, 'maxWaiting is 2147483648'],
])('the limits %o are rejected, and the longest timeout of a timer is accepted', (limits, found) => {
  const error = new RangeError(`${found}; expected a whole number from 1 to 2147483647`);
  expect(() => start(() => ({}), limits)).toThrow(error);
  expect(limitsOf(groupCommitLimits, { timeoutMs: 2 ** 31 - 1 })).toHaveProperty('timeoutMs', 2 ** 31 - 1);
});
