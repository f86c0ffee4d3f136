import { expect, onTestFinished, test, vi } from 'vitest';
import { Unavailable } from '../src/errors.ts';
import { retries } from '../src/retries.ts';

const lost = () => new Unavailable('lost');

/** Retries what is lost, within so many milliseconds, by a clock that only pauses and `clock.now` move. */
function retrying(withinMs: number, { lateness = 1 } = {}) {
  const clock = { now: 0 };
  const sleep = vi.fn<(ms: number) => Promise<void>>(async (ms) => {
    clock.now += lateness * ms;
  });
  const isLost = (error: unknown) => error instanceof Error && error.message === 'lost';
  const retry = retries(isLost, { now: () => clock.now, sleep });
  return { sleep, attempt: <T>(work: () => Promise<T>) => retry(work, clock.now + withinMs) };
}

/** The first pause is then 20 ms. */
function withoutJitter(): void {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(() => random.mockRestore());
}

test('work is attempted at most three times, after pauses that double', async () => {
  withoutJitter();
  const work = vi.fn<() => Promise<string>>().mockRejectedValue(lost());
  const { sleep, attempt } = retrying(1_000);
  await expect(attempt(work)).rejects.toThrow('lost');
  expect(work).toHaveBeenCalledTimes(3);
  expect(sleep.mock.calls).toEqual([[20], [40]]);
});

test('no pause begins that would end after the deadline', async () => {
  const { sleep, attempt } = retrying(10);
  const work = vi.fn<() => Promise<string>>().mockRejectedValue(lost());
  await expect(attempt(work)).rejects.toThrow('lost');
  expect(sleep).not.toHaveBeenCalled();
  expect(work).toHaveBeenCalledTimes(1);
});

test('no attempt begins after a timer that was so late that the deadline has passed', async () => {
  const { sleep, attempt } = retrying(100, { lateness: 10 });
  const work = vi.fn<() => Promise<string>>().mockRejectedValue(lost());
  await expect(attempt(work)).rejects.toThrow('lost');
  expect(sleep).toHaveBeenCalledTimes(1);
  expect(work).toHaveBeenCalledTimes(1);
});

test('an attempt may begin at the very deadline', async () => {
  withoutJitter();
  const { attempt } = retrying(20);
  const work = vi.fn<() => Promise<string>>().mockRejectedValueOnce(lost()).mockResolvedValueOnce('done');
  expect(await attempt(work)).toBe('done');
});

test('in an outage retries are limited to a tenth of the work, plus the initial budget', async () => {
  const work = vi.fn<() => Promise<string>>().mockRejectedValue(lost());
  const { attempt } = retrying(10_000);
  await Promise.allSettled(Array.from({ length: 1_000 }, () => attempt(work)));
  // All fail before the first is retried, so that no tenth counts beside the initial budget, which is full.
  expect(work).toHaveBeenCalledTimes(1_010);
});
