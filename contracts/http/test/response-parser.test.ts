import { expect, test } from 'vitest';
import { parseResponse } from '../src/http/response-parser.ts';

const parsed = (lines: string) => parseResponse(Buffer.from(`HTTP/1.1 200 OK\r\n${lines}\r\n\r\n`, 'latin1'), true);

test.each([
  ['X-A:  a b\t ', 'a b'],
  ['x-a: 1\r\nX-A: 2', '1, 2'],
  ['X-A: a\xa0', 'a\xa0'],
  ['X-A:', ''],
])('%j is x-a: %j', (lines, value) => {
  expect(parsed(lines)).toMatchObject({ state: 'complete', headers: new Map([['x-a', value]]) });
});

test.each(['X-A : a', 'Date: a\r\ndate: a', ' X-A: a'])('%j is malformed', (lines) =>
  expect(parsed(lines)).toMatchObject({ state: 'malformed' }),
);

test('a Content-Length is digits and nothing else', () => {
  const response = (length: string) =>
    parseResponse(Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n{}`, 'latin1'), false);
  expect(response('2 ')).toMatchObject({ state: 'complete', body: Buffer.from('{}') });
  for (const length of ['2\xa0', '+2', '2, 2', '']) expect(response(length)).toMatchObject({ state: 'malformed' });
});
