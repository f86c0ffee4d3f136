import { expect, test } from 'vitest';
import { parseResponse } from '../src/http/response-parser.ts';

const parsed = (lines: string) => parseResponse(Buffer.from(`HTTP/1.1 200 OK\r\n${lines}\r\n\r\n`, 'latin1'), true);

test.each([
  ['X-A:  a b\t ', 'a b'],
  ['x-a: 1\r\nX-A: 2', '1, 2'],
  ['X-A: a\xa0', 'a\xa0'],
  ['X-A:', ''],
])('%j is x-a: %j', (lines, value) => {
  expect(parsed(lines)).toMatchObject({ headers: new Map([['x-a', value]]) });
});

test.each(['X-A : a', 'Date: a\r\ndate: a', ' X-A: a'])('%j is malformed', (lines) =>
  expect(parsed(lines)).toHaveProperty('fault'),
);

test('a Content-Length is digits and nothing else', () => {
  const response = (length: string) =>
    parseResponse(Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n{}`, 'latin1'), false);
  expect(response('2 ')).toMatchObject({ body: Buffer.from('{}') });
  for (const length of ['2\xa0', '+2', '2, 2', '']) expect(response(length)).toHaveProperty('fault');
});

test.each([
  ['2\r\n{}\r\n0\r\n\r\n', Buffer.from('{}')],
  ['1;a=b\r\n{\r\n1\r\n}\r\n0\r\n\r\nHTTP', Buffer.from('{}')],
  ['2\r\n{}\r\n0\r\n', undefined],
  ['2\r\n{', undefined],
  ['2\r\n{}xx0\r\n\r\n', 'malformed'],
  ['0x2\r\n{}\r\n0\r\n\r\n', 'malformed'],
])('a body in chunks, as a proxy may send it, is read: %j', (chunks, expected) => {
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  const response = parseResponse(Buffer.from(head + chunks, 'latin1'), false);
  expect(response && ('fault' in response ? 'malformed' : response.body)).toEqual(expected);
});
