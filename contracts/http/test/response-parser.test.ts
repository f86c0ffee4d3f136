import { expect, test } from 'vitest';
import { parseResponse } from '../src/http/response-parser.ts';

function parse(text: string, toHead = false) {
  return parseResponse(Buffer.from(`HTTP/1.1 ${text}`, 'latin1'), toHead);
}

test('headers are by name in lower case, and the values of a repeated one are combined', () => {
  const headers = new Map([
    ['x-a', '1, a b'],
    ['content-length', '2'],
  ]);
  const body = Buffer.from('{}');
  expect(parse('200 OK\r\nx-a: 1\r\nX-A:  a b\t \r\nContent-Length: 2 \r\n\r\n{}HTTP')).toMatchObject({
    headers,
    body,
  });
  expect(parse('200 OK\r\nContent-Length: 7\r\n\r\n', true)).toMatchObject({ body: Buffer.of() });
});

test.each(['999 OK\r\n', '200 OK\r\n', '200 OK\r\nContent-Length: +2\r\n', '200 OK\r\nContent-Length: 2, 2\r\n'])(
  'a response with this head is malformed: %j',
  (head) => expect(parse(`${head}\r\n{}`)).toHaveProperty('fault'),
);

test.each([
  ['2\r\n{}\r\n0\r\n\r\n', Buffer.from('{}')],
  ['1;a=b\r\n{\r\n1\r\n}\r\n0\r\n\r\nHTTP', Buffer.from('{}')],
  ['2\r\n{}\r\n0\r\n', undefined],
  ['2\r\n{', undefined],
])('a body in chunks, as a proxy may send it, is read: %j', (chunks, body) => {
  const response = parse(`200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`);
  expect(response && 'body' in response ? response.body : undefined).toEqual(body);
});
