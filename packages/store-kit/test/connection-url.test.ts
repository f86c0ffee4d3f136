import { isThisMachine, readParameters } from '@plant-store/store-kit/connection-url';
import { expect, test } from 'vitest';

const known = { mode: ['ON', 'OFF'], file: undefined };

test.each([
  ['mdoe=ON', 'parameter 1 of 1 is unknown: expected mode, file'],
  ['file=a&MODE=ON', 'parameter 2 of 2 is unknown: expected mode, file'],
  ['constructor=a', 'parameter 1 of 1 is unknown: expected mode, file'],
  ['file=', 'file is empty: give it a value or remove it'],
  ['file=a&file=a', 'file is given twice: keep one'],
  ['mode=on', 'mode: expected ON or OFF'],
])('%s is refused: %s', (query, reason) => {
  expect(() => readParameters('x', known, new URLSearchParams(query))).toThrow(
    `the connection string cannot be used (${reason}): give x://user:password@host:port/database`,
  );
});

test('what is known is read', () => {
  expect(readParameters('x', known, new URLSearchParams('mode=ON&file=%20'))).toEqual(
    new Map([
      ['mode', 'ON'],
      ['file', ' '],
    ]),
  );
});

test.each([
  ['localhost', true],
  ['::1', true],
  ['[::1]', true],
  ['127.9.9.9', true],
  ['/run/server', true],
  ['127.0.0.1.example.com', false],
  ['128.0.0.1', false],
  ['localhost.example.com', false],
])('%s is this machine: %s', (host, expected) => expect(isThisMachine(host)).toBe(expected));
