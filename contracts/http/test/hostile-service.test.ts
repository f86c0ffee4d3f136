import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { readDescription } from '../src/expectations/published-description.ts';
import { onConnection } from '../src/http/connection.ts';
import { sendRequest } from '../src/http/send-request.ts';
import { listening } from './listening.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ';
const megabyte = Buffer.alloc(2 ** 20, 'a');

/** A service that begins each response with this text, and then sends megabytes for as long as somebody reads them. */
async function endless(head: string) {
  let written = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    const send = () => {
      // Without an end, the test would hold them all.
      while (socket.writable && written < 200 * megabyte.length) {
        written += megabyte.length;
        if (!socket.write(megabyte)) return socket.once('drain', send);
      }
      return socket;
    };
    socket.once('data', () => {
      socket.write(head);
      send();
    });
  });
  return { service: { baseUrl: await listening(server), token: 'sesame' }, written: () => written };
}

test.each([
  ['a request', `${HEAD}999999999\r\n\r\n`, 'the body is larger than 1048588 bytes'],
  ['a raw connection', `${HEAD}999999999\r\n\r\n`, 'it sent more than 1048588 bytes'],
  ['a raw connection', 'HTTP/1.1 200 OK\r\nX-Endless: ', 'it sent more than 1048588 bytes'],
])('%s fails soon if the response does not end', async (how, head, says) => {
  const { service, written } = await endless(head);
  const response =
    how === 'a request'
      ? sendRequest(service, { body: '{}' })
      : onConnection(service, 'two bytes', (connection) => {
          connection.send('{}');
          return connection.response();
        });
  await expect(response).rejects.toThrow(says);
  // What was under way.
  expect(written()).toBeLessThan(20 * megabyte.length);
});

test('a pattern of the description that backtracks for ever fails the clause', async () => {
  const body = JSON.stringify({ components: { schemas: { Plant: { pattern: '^(a+)+$' } } } });
  const server = createServer((socket) => socket.end(`${HEAD}${body.length}\r\n\r\n${body}`));
  const description = await readDescription({ baseUrl: await listening(server), token: 'sesame' });
  expect(description.faultOf('aaa', 'components', 'schemas', 'Plant')).toBeUndefined();
  expect(description.faultOf('aab', 'components', 'schemas', 'Plant')).toContain('must match pattern');
  const check = () => description.faultOf(`${'a'.repeat(50)}b`, 'components', 'schemas', 'Plant');
  expect(check).toThrow('timed out');
});
