import { StoreUnavailable } from '@plant-store/domain';
import { expect, onTestFinished, test, vi } from 'vitest';
import { processPlatform } from '../src/platform.ts';
import { retries } from '../src/retries.ts';

const lost = () => new StoreUnavailable('lost');

/** Retries what is lost, within so many milliseconds. */
function retrying(withinMs: number, onRetry?: () => void) {
  const retry = retries((error) => error instanceof Error && error.message === 'lost', processPlatform, onRetry);
  return <T>(work: () => Promise<T>) => retry(work, performance.now() + withinMs);
}

test('a transient failure is retried', async () => {
  const work = vi.fn<() => Promise<string>>().mockRejectedValueOnce(lost()).mockResolvedValueOnce('done');
  expect(await retrying(1_000)(work)).toBe('done');
  expect(work).toHaveBeenCalledTimes(2);
});

test('any other failure is not retried', async () => {
  const work = vi.fn<() => Promise<string>>().mockRejectedValue(new StoreUnavailable('full'));
  await expect(retrying(1_000)(work)).rejects.toThrow('full');
  expect(work).toHaveBeenCalledTimes(1);
});

test('work is attempted at most three times', async () => {
  const work = vi.fn<() => Promise<string>>().mockRejectedValue(lost());
  await expect(retrying(1_000)(work)).rejects.toThrow('lost');
  expect(work).toHaveBeenCalledTimes(3);
});

test('each further attempt is reported, and the first is not', async () => {
  const onRetry = vi.fn<() => void>();
  const retry = retrying(1_000, onRetry);
  await retry(vi.fn<() => Promise<string>>().mockRejectedValueOnce(lost()).mockResolvedValue('done'));
  expect(onRetry).toHaveBeenCalledTimes(1);
  await expect(retry(vi.fn<() => Promise<string>>().mockRejectedValue(lost()))).rejects.toThrow('lost');
  expect(onRetry).toHaveBeenCalledTimes(3);
});

test('work is not retried after its deadline', async () => {
  const work = vi.fn<() => Promise<string>>(async () => {
    await new Promise((resolve) => setTimeout(resolve, 60));
    throw lost();
  });
  await expect(retrying(20)(work)).rejects.toThrow('lost');
  expect(work).toHaveBeenCalledTimes(1);
});

test('no attempt begins after the deadline, not even when it passes during the pause', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.99);
  onTestFinished(() => void vi.restoreAllMocks());
  for (let withinMs = 1; withinMs <= 20; withinMs += 1) {
    const end = performance.now() + withinMs;
    const begun: number[] = [];
    const work = async () => {
      begun.push(performance.now());
      throw lost();
    };
    await expect(retrying(withinMs)(work)).rejects.toThrow('lost');
    // The end was reckoned a moment before theirs.
    expect(begun.filter((at) => at > end + 2)).toEqual([]);
  }
});

test('in an outage retries are limited to a tenth of the work, plus the initial budget', async () => {
  const work = vi.fn<() => Promise<string>>().mockRejectedValue(lost());
  const retry = retrying(10_000);
  await Promise.allSettled(Array.from({ length: 1_000 }, () => retry(work)));
  // All fail before the first is retried, so that no tenth counts beside the initial budget, which is full.
  expect(work).toHaveBeenCalledTimes(1_010);
});

test('no pause begins that would end after the deadline, and no attempt begins after a late timer', async () => {
  let time = 0;
  const sleep = vi.fn<(ms: number) => Promise<void>>(async (ms) => {
    time += 10 * ms;
  });
  const retry = retries(() => true, { now: () => time, sleep });
  const work = vi.fn<() => Promise<string>>().mockRejectedValue(lost());
  await expect(retry(work, 10)).rejects.toThrow('lost');
  expect(sleep).not.toHaveBeenCalled();
  await expect(retry(work, 100)).rejects.toThrow('lost');
  expect(sleep).toHaveBeenCalledTimes(1);
  expect(work).toHaveBeenCalledTimes(2);
});
