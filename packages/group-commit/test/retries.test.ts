import { expect, onTestFinished, test, vi } from 'vitest';
import { Unavailable } from '../src/errors.ts';
import { retries } from '../src/retries.ts';

const lost = () => new Unavailable('lost');

/** Retries what is lost, within so many milliseconds, by a clock that only pauses and `clock.now` move. */
function retrying(withinMs: number, { onRetry = () => {}, lateness = 1 } = {}) {
  const clock = { now: 0 };
  const sleep = vi.fn<(ms: number) => Promise<void>>(async (ms) => {
    clock.now += lateness * ms;
  });
  const isLost = (error: unknown) => error instanceof Error && error.message === 'lost';
  const retry = retries(isLost, { now: () => clock.now, sleep }, onRetry);
  return { clock, sleep, attempt: <T>(work: () => Promise<T>) => retry(work, clock.now + withinMs) };
}

/** The first pause is then 20 ms. */
function withoutJitter(): void {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(() => random.mockRestore());
}

test('a transient failure is retried', async () => {
  const work = vi.fn<() => Promise<string>>().mockRejectedValueOnce(lost()).mockResolvedValueOnce('done');
  expect(await retrying(1_000).attempt(work)).toBe('done');
  expect(work).toHaveBeenCalledTimes(2);
});

test('any other failure is not retried', async () => {
  const work = vi.fn<() => Promise<string>>().mockRejectedValue(new Unavailable('full'));
  await expect(retrying(1_000).attempt(work)).rejects.toThrow('full');
  expect(work).toHaveBeenCalledTimes(1);
});

test('work is attempted at most three times, after pauses that double', async () => {
  withoutJitter();
  const work = vi.fn<() => Promise<string>>().mockRejectedValue(lost());
  const { sleep, attempt } = retrying(1_000);
  await expect(attempt(work)).rejects.toThrow('lost');
  expect(work).toHaveBeenCalledTimes(3);
  expect(sleep.mock.calls).toEqual([[20], [40]]);
});

test('each further attempt is reported, and the first is not', async () => {
  const onRetry = vi.fn<() => void>();
  const { attempt } = retrying(1_000, { onRetry });
  await attempt(vi.fn<() => Promise<string>>().mockRejectedValueOnce(lost()).mockResolvedValue('done'));
  expect(onRetry).toHaveBeenCalledTimes(1);
  await expect(attempt(vi.fn<() => Promise<string>>().mockRejectedValue(lost()))).rejects.toThrow('lost');
  expect(onRetry).toHaveBeenCalledTimes(3);
});

test('work that fails after its deadline is not retried', async () => {
  const { clock, attempt } = retrying(1_000);
  const work = vi.fn<() => Promise<string>>(async () => {
    clock.now = 1_001;
    throw lost();
  });
  await expect(attempt(work)).rejects.toThrow('lost');
  expect(work).toHaveBeenCalledTimes(1);
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
