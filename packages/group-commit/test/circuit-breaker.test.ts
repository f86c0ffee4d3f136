import { expect, test, vi } from 'vitest';
import { type CircuitBreaker, circuitBreaker } from '../src/circuit-breaker.ts';
import { ownErrors, Unavailable } from '../src/errors.ts';
import { sharedProbe } from '../src/shared-probe.ts';
import { settled, virtualPlatform } from './virtual-platform.ts';

const down = () => Promise.reject(new Unavailable('down'));
const up = () => Promise.resolve('done');
const never = () => new Promise<never>(() => {});

test('work that fails opens the circuit: other work is refused at once, with the reason, until a probe succeeds', async () => {
  const { probe, breaker, pass } = setUp(down);
  await expect(guard(breaker, down)).rejects.toThrow(/^down$/);
  const work = vi.fn<() => Promise<string>>(up);
  await expect(guard(breaker, work)).rejects.toThrow(new Unavailable('down (circuit breaker open)'));
  // Pauses of 50, 100 and 200 ms, less up to a half.
  await pass(350);
  expect(probe.mock.calls.length).toBeGreaterThanOrEqual(3);
  await expect(guard(breaker, work)).rejects.toThrow(Unavailable);
  expect(work).not.toHaveBeenCalled();
  probe.mockResolvedValue();
  await pass(500);
  expect(await guard(breaker, work)).toBe('done');
  probe.mockClear();
  await pass(1_000);
  expect(probe).not.toHaveBeenCalled();
});

test('a circuit that is closed before the first probe is not probed', async () => {
  const { probe, breaker, pass } = setUp(down);
  await guard(breaker, down).catch(() => {});
  breaker.close();
  await pass(1_000);
  expect(probe).not.toHaveBeenCalled();
});

test('a circuit that opens again while a probe hangs has one probing loop', async () => {
  const hanging = Promise.withResolvers<void>();
  const { probe, breaker, pass, timers } = setUp(never);
  probe.mockReturnValueOnce(hanging.promise);
  await guard(breaker, down).catch(() => {});
  await pass(6_500);
  expect(probe).toHaveBeenCalledTimes(2);
  hanging.resolve();
  await settled();
  expect(await guard(breaker, up)).toBe('done');
  await guard(breaker, down).catch(() => {});
  await pass(11_500);
  // It waits for the probe, or to try again.
  expect(timers).toHaveLength(1);
});

/** A circuit breaker over a probe, and a clock that goes on when it is told to. */
function setUp(answers: () => Promise<void>) {
  const { platform, pass, timers } = virtualPlatform();
  const probe = vi.fn<() => Promise<void>>(answers);
  const breaker = circuitBreaker(
    sharedProbe(() => probe(), platform),
    platform,
    ownErrors,
  );
  return { probe, breaker, pass, timers };
}

/** Work that a breaker guards, as a store does it. */
async function guard<T>(breaker: CircuitBreaker, work: () => Promise<T>): Promise<T> {
  const { refusal, successes } = breaker;
  if (refusal) throw refusal;
  try {
    const result = await work();
    breaker.succeeded();
    return result;
  } catch (error) {
    if (error instanceof Unavailable) breaker.failed(error, successes);
    throw error;
  }
}
