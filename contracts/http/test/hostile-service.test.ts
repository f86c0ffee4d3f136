import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { readDescription } from '../src/expectations/published-description.ts';
import { firstResponse } from '../src/http/raw-request.ts';
import { listening } from './listening.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ';
const megabyte = Buffer.alloc(2 ** 20, 'a');

/** A service that sends the head, and then megabytes as long as they are read. */
async function endless(head: string) {
  let written = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    const send = () => {
      // Limited, because the test would otherwise buffer them all.
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

test.each([`${HEAD}999999999\r\n\r\n`, 'HTTP/1.1 200 OK\r\nX-Endless: '])(
  'a request fails soon if the response does not end: %j',
  async (head) => {
    const { service, written } = await endless(head);
    await expect(firstResponse(service, 'a plant')).rejects.toThrow(/it sent more than 1\d{6} bytes/);
    // The limit of a response, and what the sockets buffer.
    expect(written()).toBeLessThan(20 * megabyte.length);
  },
);

test('a request fails after 5 s if there is no response, and its connection is closed', async () => {
  const server = createServer((socket) => socket.resume());
  const service = { baseUrl: await listening(server), token: 'sesame' };
  const closed = once(server, 'connection').then(([socket]) => once(socket, 'close'));
  await expect(firstResponse(service, 'a plant')).rejects.toThrow('nothing complete within 5000 ms');
  await closed;
});

test('a pattern of the description that backtracks exponentially does not block the check', async () => {
  const body = JSON.stringify({ components: { schemas: { Plant: { type: 'string', pattern: '^(a+)+$' } } } });
  const server = createServer((socket) => socket.end(`${HEAD}${body.length}\r\n\r\n${body}`));
  const description = await readDescription({ baseUrl: await listening(server), token: 'sesame' });
  const plant = ['components', 'schemas', 'Plant'];
  expect(description.faultOf(`${'a'.repeat(50)}b`, plant)).toBeUndefined();
  expect(description.faultOf(7, plant)).toContain('must be string');
});
