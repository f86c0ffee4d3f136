import { expect, test, vi } from 'vitest';
import { sharing } from '../src/sharing.ts';

test('frequent calls share one result or error, for a while after it is there', async () => {
  vi.useFakeTimers();
  const work = vi.fn().mockRejectedValueOnce(new Error('no')).mockResolvedValueOnce(1).mockResolvedValueOnce(2);
  const shared = sharing(work, 500);
  const first = shared();
  await expect(Promise.allSettled([first, shared()])).resolves.toMatchObject([{ reason: { message: 'no' } }, {}]);
  await expect(shared()).rejects.toThrow('no');
  await vi.advanceTimersByTimeAsync(500);
  expect([await shared(), await shared()]).toEqual([1, 1]);
  await vi.advanceTimersByTimeAsync(499);
  expect(await shared()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await shared()).toBe(2);
  vi.useRealTimers();
});
