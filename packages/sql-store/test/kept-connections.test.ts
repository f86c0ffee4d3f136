import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keptConnections } from '../src/server/kept-connections.ts';

const giveBack = vi.fn<(connection: string) => void>();
beforeEach(() => {
  giveBack.mockClear();
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

test('whoever needs a connection gets the one that was kept last', () => {
  const kept = keptConnections(giveBack, () => false);
  for (const connection of ['one', 'another']) kept.keep(connection);
  expect([kept.count, kept.take(), kept.take(), kept.take(), kept.count]).toEqual([2, 'another', 'one', undefined, 0]);
  vi.advanceTimersByTime(10_000);
  expect(giveBack).not.toHaveBeenCalled();
});

test('what nobody takes goes back to the pool within a second, and the next one as well', () => {
  const kept = keptConnections(giveBack, () => false);
  for (const connection of ['one', 'another']) {
    kept.keep(connection);
    vi.advanceTimersByTime(999);
    expect([kept.count, giveBack.mock.calls.length]).toEqual([1, 0]);
    vi.advanceTimersByTime(1);
    expect(giveBack.mock.calls.splice(0)).toEqual([[connection]]);
  }
  expect([kept.count, vi.getTimerCount()]).toEqual([0, 0]);
});

test('a connection that is released twice is not lent twice', () => {
  const kept = keptConnections(giveBack, () => false);
  for (const connection of ['one', 'one']) kept.keep(connection);
  expect([kept.take(), kept.take()]).toEqual(['one', undefined]);
});

test('while somebody waits for the pool, a connection goes back at once', () => {
  let isAwaited = true;
  const kept = keptConnections(giveBack, () => isAwaited);
  kept.keep('one');
  isAwaited = false;
  kept.keep('another');
  expect([giveBack.mock.calls, kept.count]).toEqual([[['one']], 1]);
});

test('a connection that is dropped does not go back', () => {
  const kept = keptConnections(giveBack, () => false);
  for (const connection of ['one', 'another']) kept.keep(connection);
  expect([kept.drop('one'), kept.drop('one'), kept.count]).toEqual([true, false, 1]);
  kept.giveBack();
  expect([giveBack.mock.calls, kept.count]).toEqual([[['another']], 0]);
});

test('does not keep the process alive', () => {
  vi.useRealTimers();
  const timer = vi.spyOn(globalThis, 'setTimeout');
  keptConnections(giveBack, () => false).keep('one');
  const timers = timer.mock.results.map(({ value }) => value.hasRef());
  timer.mockRestore();
  expect(timers).toEqual([false]);
});
