import { expect, test, vi } from 'vitest';
import { circuitBreaker } from '../src/circuit-breaker.ts';
import { ownErrors, Unavailable } from '../src/errors.ts';
import { backoffMs, retries } from '../src/retries.ts';
import { sharedProbe } from '../src/shared-probe.ts';
import { settled, virtualPlatform } from './virtual-platform.ts';

/** Work that fails, and is retried within so many milliseconds, by a clock that only pauses move. */
function retrying(withinMs: number, lateness = 1) {
  let now = 0;
  const sleep = vi.fn<(ms: number) => Promise<void>>(async (ms) => {
    now += lateness * ms;
  });
  const work = vi.fn<() => Promise<string>>().mockRejectedValue(new Unavailable('lost'));
  const retry = retries((error) => error instanceof Unavailable, { now: () => now, sleep });
  return { sleep, work, attempt: () => retry(work, withinMs) };
}

test.each([
  ['no pause begins that would end after the deadline', 10, 1, 0],
  ['no attempt begins after a timer that was so late that the deadline has passed', 100, 10, 1],
])('%s', async (_, withinMs, lateness, pauses) => {
  const { sleep, work, attempt } = retrying(withinMs, lateness);
  await expect(attempt()).rejects.toThrow('lost');
  expect([work.mock.calls.length, sleep.mock.calls.length]).toEqual([1, pauses]);
});

test('in an outage a tenth of the work is retried, beside the initial budget', async () => {
  const { work, attempt } = retrying(10_000);
  for (let count = 0; count < 1_000; count += 1) await attempt().catch(() => {});
  expect(work.mock.calls.length - 1_000).toBeGreaterThanOrEqual(100);
  expect(work.mock.calls.length - 1_000).toBeLessThanOrEqual(110);
});

test('pauses double up to the longest, less up to a half by chance', () => {
  const of = (attempt: number) => Array.from({ length: 100 }, () => backoffMs(attempt, 10, 160));
  for (const [attempt, longest] of [10, 20, 40, 80, 160, 160].entries()) {
    expect(Math.max(...of(attempt))).toBeGreaterThan(0.9 * longest);
    expect(Math.max(...of(attempt))).toBeLessThanOrEqual(longest);
    expect(Math.min(...of(attempt))).toBeGreaterThanOrEqual(longest / 2);
    expect(Math.min(...of(attempt))).toBeLessThan(0.6 * longest);
  }
});

test('an open circuit is probed after 25 to 50 ms, and by one loop, though it opens again while a probe hangs', async () => {
  const { platform, pass, timers } = virtualPlatform();
  const down = new Unavailable('down');
  const hanging = Promise.withResolvers<void>();
  const probe = vi.fn<() => Promise<void>>(() => new Promise(() => {}));
  probe.mockImplementationOnce(() => {
    throw down;
  });
  probe.mockReturnValueOnce(hanging.promise);
  const breaker = circuitBreaker(sharedProbe(probe, platform), platform, ownErrors);
  breaker.failed(down, 0);
  await pass(50);
  expect(probe).toHaveBeenCalledTimes(1);
  await pass(6_500);
  expect(probe).toHaveBeenCalledTimes(3);
  hanging.resolve();
  await settled();
  expect(breaker.refusal).toBeUndefined();
  breaker.failed(down, 0);
  await pass(11_500);
  // It waits for the probe, or to try again.
  expect(timers).toHaveLength(1);
});
