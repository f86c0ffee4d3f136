import pg from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StatementTimeout, statementWatch } from '../src/driver/statement-timeout.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const onTimeout = vi.fn<(client: pg.ClientBase, error: Error) => void>();
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

test('a limit of 0 is none', () => {
  statementWatch(0, onTimeout).started(one);
  expect(vi.getTimerCount()).toBe(0);
});
