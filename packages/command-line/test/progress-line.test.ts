import { expect, test } from 'vitest';
import { progressLine, type Terminal } from '../src/progress-line.ts';

function stream(isTTY: boolean) {
  const calls: string[] = [];
  const called = (name: string) => (value: unknown) => calls.push(`${name} ${value}`) > 0;
  const terminal: Terminal = {
    isTTY,
    columns: 10,
    write: called('write'),
    cursorTo: called('cursorTo'),
    clearLine: called('clearLine'),
  };
  return { terminal, calls };
}

test('a progress line replaces the previous one, is never wider than the terminal, and can be erased', () => {
  const { terminal, calls } = stream(true);
  const line = progressLine(terminal);
  line.show('1 of 2: a long title');
  line.erase();
  expect(calls).toEqual(['cursorTo 0', 'clearLine 0', 'write 1 of 2: a', 'cursorTo 0', 'clearLine 0']);
});

test('a progress line is written only to a terminal', () => {
  const { terminal, calls } = stream(false);
  const line = progressLine(terminal);
  line.show('1 of 2');
  line.erase();
  expect(calls).toEqual([]);
});

test('a terminal obeys nothing in a progress line', () => {
  const { terminal, calls } = stream(true);
  progressLine(terminal).show('\u001b[2J\n');
  expect(calls.at(-1)).toBe('write \\u001b[2J');
});
