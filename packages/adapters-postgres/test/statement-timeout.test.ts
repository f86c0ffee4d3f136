import pg from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StatementTimeout, statementWatch } from '../src/driver/statement-timeout.ts';

const onTimeout = vi.fn<(client: pg.ClientBase, error: Error) => void>();
beforeEach(() => {
  onTimeout.mockClear();
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

const [one, another] = [new pg.Client(), new pg.Client()];

test('each statement has its whole time, however many there are, with one timer', () => {
  const { started, ended } = statementWatch(100, onTimeout);
  started(one);
  vi.advanceTimersByTime(60);
  started(another);
  expect(vi.getTimerCount()).toBe(1);
  ended(one);
  started(one);
  vi.advanceTimersByTime(99);
  expect(onTimeout).not.toHaveBeenCalled();
  ended(one);
  vi.advanceTimersByTime(1);
  expect(onTimeout.mock.calls).toEqual([[another, new StatementTimeout(100)]]);
  expect(vi.getTimerCount()).toBe(0);
});

test('of several that are late at once each is reported', () => {
  const { started } = statementWatch(100, onTimeout);
  for (const client of [one, another]) started(client);
  vi.advanceTimersByTime(100);
  expect(onTimeout.mock.calls.map(([client]) => client)).toEqual([one, another]);
});

test('does not keep the process alive', () => {
  vi.useRealTimers();
  const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  statementWatch(1_000, onTimeout).started(one);
  expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout')).toHaveLength(before);
});

test('a limit of 0 is none', () => {
  statementWatch(0, onTimeout).started(one);
  expect(vi.getTimerCount()).toBe(0);
});
