import { StoreUnavailable } from '@plant-store/domain';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { retries } from '../src/retries.ts';

const lost = () => new StoreUnavailable('lost', { cause: new Error('Connection terminated unexpectedly') });

test.each([
  ['a lost connection', undefined],
  ['a terminated backend', '57P01'],
  ['a standby', '25006'],
  ['a serialization conflict', '40001'],
  ['a deadlock', '40P01'],
  ['no free slot', '53300'],
])('%s is tried again', async (_, code) => {
  const work = vi.fn<() => Promise<string>>().mockRejectedValueOnce(failure(code)).mockResolvedValueOnce('done');
  expect(await retries(1_000)(work)).toBe('done');
  expect(work).toHaveBeenCalledTimes(2);
});

test.each([
  ['a full disk', '53100'],
  ['a missing table', '42P01'],
  ['a wrong password', '28P01'],
])('%s is not tried again: it will be there as well', async (_, code) => {
  const work = vi.fn<() => Promise<string>>().mockRejectedValue(failure(code));
  await expect(retries(1_000)(work)).rejects.toThrow(StoreUnavailable);
  expect(work).toHaveBeenCalledTimes(1);
});

test('work is tried three times at the most', async () => {
  const work = vi.fn<() => Promise<string>>().mockRejectedValue(lost());
  await expect(retries(1_000)(work)).rejects.toThrow('lost');
  expect(work).toHaveBeenCalledTimes(3);
});

test('each further attempt is counted, and no other', async () => {
  const onRetry = vi.fn<() => void>();
  const retrying = retries(1_000, onRetry);
  await retrying(vi.fn<() => Promise<string>>().mockRejectedValueOnce(lost()).mockResolvedValue('done'));
  expect(onRetry).toHaveBeenCalledTimes(1);
  await expect(retrying(vi.fn<() => Promise<string>>().mockRejectedValue(lost()))).rejects.toThrow('lost');
  expect(onRetry).toHaveBeenCalledTimes(3);
});

test('work that nobody waits for any more is not tried again', async () => {
  const work = vi.fn<() => Promise<string>>(async () => {
    await new Promise((resolve) => setTimeout(resolve, 60));
    throw lost();
  });
  await expect(retries(20)(work)).rejects.toThrow('lost');
  expect(work).toHaveBeenCalledTimes(1);
});

test('no attempt begins after the time is up, not even when it ran out in the pause before', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.99);
  onTestFinished(() => void vi.restoreAllMocks());
  for (let withinMs = 1; withinMs <= 20; withinMs += 1) {
    const end = performance.now() + withinMs;
    const begun: number[] = [];
    const work = async () => {
      begun.push(performance.now());
      throw lost();
    };
    await expect(retries(withinMs)(work)).rejects.toThrow('lost');
    // The end was reckoned a moment before theirs.
    expect(begun.filter((at) => at > end + 2)).toEqual([]);
  }
});

test('in an outage there are a tenth more attempts than work, and the few that it had in hand', async () => {
  const work = vi.fn<() => Promise<string>>().mockRejectedValue(lost());
  const retrying = retries(10_000);
  await Promise.allSettled(Array.from({ length: 1_000 }, () => retrying(work)));
  expect(work.mock.calls.length).toBeGreaterThan(1_000);
  expect(work.mock.calls.length).toBeLessThanOrEqual(1_110);
});

/** What the adapter throws for an error of the server with this SQLSTATE. */
function failure(code: string | undefined): StoreUnavailable {
  if (code === undefined) return lost();
  const cause = Object.assign(new pg.DatabaseError('it went wrong', 13, 'error'), { code });
  return new StoreUnavailable('PostgreSQL: it went wrong', { cause });
}
