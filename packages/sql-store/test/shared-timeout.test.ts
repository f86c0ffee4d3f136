import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sharedTimeout } from '../src/server/shared-timeout.ts';

const onTimeout = vi.fn<(work: string) => void>();
beforeEach(() => {
  onTimeout.mockClear();
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

test('each has its whole time, however many there are, with one timer', () => {
  const { started, ended } = sharedTimeout(100, onTimeout);
  started('one');
  vi.advanceTimersByTime(60);
  started('another');
  expect(vi.getTimerCount()).toBe(1);
  ended('one');
  started('one');
  vi.advanceTimersByTime(99);
  expect(onTimeout).not.toHaveBeenCalled();
  ended('one');
  vi.advanceTimersByTime(1);
  expect(onTimeout.mock.calls).toEqual([['another']]);
  expect(vi.getTimerCount()).toBe(0);
});

test('of several that are late at once each is reported', () => {
  const { started } = sharedTimeout(100, onTimeout);
  for (const work of ['one', 'another']) started(work);
  vi.advanceTimersByTime(100);
  expect(onTimeout.mock.calls).toEqual([['one'], ['another']]);
});

test('does not keep the process alive', () => {
  vi.useRealTimers();
  const timer = vi.spyOn(globalThis, 'setTimeout');
  sharedTimeout(1_000, onTimeout).started('one');
  const timers = timer.mock.results.map(({ value }) => value.hasRef());
  timer.mockRestore();
  expect(timers).toEqual([false]);
});

test('a limit of 0 is none', () => {
  sharedTimeout(0, onTimeout).started('one');
  expect(vi.getTimerCount()).toBe(0);
});
