import { expect, onTestFinished, test, vi } from 'vitest';
import { Unavailable } from '../src/errors.ts';
import { retries } from '../src/retries.ts';

/** Work that fails, and is retried within so many milliseconds, by a clock that only pauses move. */
function retrying(withinMs: number, { lateness = 1 } = {}) {
  let now = 0;
  const sleep = vi.fn<(ms: number) => Promise<void>>(async (ms) => {
    now += lateness * ms;
  });
  const work = vi.fn<() => Promise<string>>().mockRejectedValue(new Unavailable('lost'));
  const retry = retries((error) => error instanceof Unavailable, { now: () => now, sleep });
  return { sleep, work, attempt: () => retry(work, withinMs) };
}

test('work is attempted at most three times, after pauses that double', async () => {
  // The first pause is then 20 ms.
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(() => random.mockRestore());
  const { sleep, work, attempt } = retrying(1_000);
  await expect(attempt()).rejects.toThrow('lost');
  expect(work).toHaveBeenCalledTimes(3);
  expect(sleep.mock.calls).toEqual([[20], [40]]);
});

test('no pause begins that would end after the deadline', async () => {
  const { sleep, work, attempt } = retrying(10);
  await expect(attempt()).rejects.toThrow('lost');
  expect(sleep).not.toHaveBeenCalled();
  expect(work).toHaveBeenCalledTimes(1);
});

test('no attempt begins after a timer that was so late that the deadline has passed', async () => {
  const { sleep, work, attempt } = retrying(100, { lateness: 10 });
  await expect(attempt()).rejects.toThrow('lost');
  expect(sleep).toHaveBeenCalledTimes(1);
  expect(work).toHaveBeenCalledTimes(1);
});

test('in an outage retries are limited to a tenth of the work, plus the initial budget', async () => {
  const { work, attempt } = retrying(10_000);
  await Promise.allSettled(Array.from({ length: 1_000 }, () => attempt()));
  // All fail before the first is retried, so that no tenth counts beside the initial budget, which is full.
  expect(work).toHaveBeenCalledTimes(1_010);
});
