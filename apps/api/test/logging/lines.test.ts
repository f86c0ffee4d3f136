import { expect, test } from 'vitest';
import { loggedError } from '../../src/logging/log.ts';
import { terminalLine } from '../../src/logging/terminal-line.ts';

test('an error in the log has its type, code, message, stack and causes, and no property of a driver', () => {
  const row = { detail: 'Key (id)=(7) exists', sql: 'INSERT', parameters: ['rose'] };
  const cause = Object.assign(new TypeError('duplicate key'), row, { code: '23505' });
  const error = Object.assign(new Error('failed', { cause }), row, { code: 7 });
  expect(JSON.parse(JSON.stringify(loggedError(error)))).toEqual({
    type: 'Error',
    message: 'failed',
    stack: error.stack,
    cause: { type: 'TypeError', code: '23505', message: 'duplicate key', stack: cause.stack },
  });
});

test('an error may be its own cause', () => {
  const error = new Error('round');
  error.cause = error;
  expect(JSON.stringify(loggedError(error)).match(/"message":"round"/g)).toHaveLength(6);
});

const line = { level: 30, time: 1, pid: 7, hostname: 'vm', reqId: 'l8NpheXK5QOQ-1', method: 'POST', path: '/plants' };
const completed = { ...line, status: 200, ms: 2.137, msg: 'request completed' };
const rejected = { ...completed, status: 400, error: 40_005, reason: 'another plant has the id' };
const dropped = { level: 40, time: 1, pid: 7, hostname: 'vm', lines: 3, msg: 'log lines dropped' };
const defect = { type: 'TypeError', message: 'no', stack: 'TypeError: no\n    at file.ts:1' };
const shown = (fields: object) => terminalLine(`${JSON.stringify(fields)}\n`).replace(/^\[[\d:.]+\] /, '');

test.each([
  [completed, /^INFO: POST \/plants 200 2\.1 ms l8NpheXK5QOQ-1\n$/],
  [rejected, /^INFO: POST \/plants 400 40005 2\.1 ms l8NpheXK5QOQ-1 \(another plant has the id\)\n$/],
  [{ ...line, ms: 2.137, msg: 'request aborted' }, /^INFO: POST \/plants aborted 2\.1 ms l8NpheXK5QOQ-1\n$/],
  [dropped, /^WARN: log lines dropped {"lines":3}\n$/],
  [{ level: 50, time: 1, msg: 'internal error', err: defect }, /^ERROR: internal error.*\n +at file\.ts:1\n/s],
])('on a terminal %j is readable', (fields, text) => {
  expect(shown(fields)).toMatch(text);
});

const hostile = '/\u001b]0;x\u0007\u009b31m\u202e\r\n[12:00:00.000] INFO: all is well';

test.each([
  ['a request', { ...completed, path: hostile, reason: hostile }],
  ['a message', { level: 50, time: 1, msg: hostile, reason: hostile }],
  ['an error', { level: 50, time: 1, msg: 'no', err: { ...defect, message: hostile, stack: `${hostile}\n  at` } }],
])('nothing in %s controls the terminal or looks like another line', (_, fields) => {
  const text = shown(fields);
  expect(text).toContain('/\\u001b]0;x\\u0007\\u009b31m\\u202e\\u000d');
  expect(text).not.toMatch(/[[\p{Cc}\p{Bidi_C}]--[\n]]|^\[/mv);
});
