import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitLine } from '../../src/logging/fit-line.ts';
import { terminalLine } from '../../src/logging/terminal-line.ts';

const line = { level: 30, time: 1, pid: 7, hostname: 'vm', reqId: 'l8NpheXK5QOQ-1', method: 'POST', path: '/plants' };
const completed = { ...line, status: 200, ms: 2.137, msg: 'request completed' };
const aborted = { ...line, ms: 2.137, msg: 'request aborted' };
const failed = { ...completed, status: 400, error: 40_005, reason: 'another plant has the id' };

test('whatever is logged, a line is made to fit and stays JSON with the same fields', () => {
  const texts = fc
    .tuple(fc.constantFrom('x', 'é', '🌱', '\ud800', '"\\', '\u0000', '\n'), fc.integer({ min: 50, max: 500 }))
    .map(([part, times]) => part.repeat(times));
  const fields = fc.record({
    msg: texts,
    path: texts,
    err: fc.record({ message: texts, stack: fc.array(texts, { maxLength: 3 }) }),
  });
  fc.assert(
    fc.property(fields, ({ msg, path, err }) => {
      const fitting = fitLine(JSON.stringify({ level: 50, path, err, msg }), 600);
      expect(Buffer.byteLength(fitting)).toBeLessThanOrEqual(600);
      expect(fitting.endsWith('\n')).toBe(true);
      expect(fitting.indexOf('\n')).toBe(fitting.length - 1);
      expect(Object.keys(JSON.parse(fitting)).join()).toBe('level,path,err,msg');
    }),
    { numRuns: 50 },
  );
  expect(JSON.parse(fitLine(JSON.stringify({ path: 'x'.repeat(1_000), status: 404 }), 300))).toEqual({
    path: `${'x'.repeat(150)}… (850 more characters)`,
    status: 404,
  });
  expect(fitLine(JSON.stringify({ many: Array(1_000).fill('texts') }), 300)).toMatch(/^{"level":50,.*left out"}\n$/);
});

describe('on a terminal', () => {
  const shown = (line: string) => terminalLine(line).replace(/^\[[\d:.]+\] /, '');

  test('a request is one line: method, path, status, error number, duration, request ID and reason', () => {
    expect(shown(JSON.stringify(completed))).toBe('INFO: POST /plants 200 2.1 ms l8NpheXK5QOQ-1\n');
    expect(shown(JSON.stringify(aborted))).toBe('INFO: POST /plants aborted 2.1 ms l8NpheXK5QOQ-1\n');
    expect(shown(JSON.stringify(failed))).toBe(
      'INFO: POST /plants 400 40005 2.1 ms l8NpheXK5QOQ-1 (another plant has the id)\n',
    );
  });

  test('anything else is one line too, and an error has its stack', () => {
    expect(shown('{"level":40,"time":1,"pid":7,"hostname":"vm","lines":3,"msg":"log lines dropped"}\n')).toBe(
      'WARN: log lines dropped {"lines":3}\n',
    );
    const err = { type: 'TypeError', message: 'no', stack: 'TypeError: no\n    at file.ts:1' };
    expect(shown(JSON.stringify({ level: 50, time: 1, msg: 'internal error', err }))).toMatch(
      /^ERROR: internal error.*\n +at file\.ts:1\n/s,
    );
  });

  test('nothing in it controls the terminal', () => {
    const path = '/\u001b]0;x\u0007\u009b31m\u202e\r\n';
    expect(shown(JSON.stringify({ ...completed, path }))).toContain(
      '/\\u001b]0;x\\u0007\\u009b31m\\u202e\\u000d\\u000a 200',
    );
    expect(shown(JSON.stringify({ level: 30, time: 1, msg: path }))).toContain('/\\u001b]0;x');
  });

  test('nothing in it looks like another line', () => {
    const forged = 'refused\n[12:00:00.000] INFO: all is well';
    expect(shown(JSON.stringify({ level: 50, time: 1, msg: forged, reason: forged }))).toMatch(/^ERROR: refused.*\n$/);
    const err = { type: 'Error', message: forged, stack: `Error: ${forged}\n    at file.ts:1` };
    expect(shown(JSON.stringify({ level: 50, time: 1, msg: 'failed', err }))).not.toMatch(/^\[/m);
  });
});
