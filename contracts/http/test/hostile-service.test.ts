import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { firstResponse } from '../src/http/raw-request.ts';
import { listening } from './listening.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ';
const token = 'sesame';

test.each([`${HEAD}999999999\r\n\r\n`, 'HTTP/1.1 200 OK\r\nX-Endless: '])(
  'a request fails soon if the response does not end: %j',
  async (head) => {
    const server = createServer((socket) => {
      socket.on('error', () => {}).write(head);
      const megabyte = Buffer.alloc(2 ** 20, 'a');
      const send = () => socket.writable && (socket.write(megabyte) ? setImmediate(send) : socket.once('drain', send));
      send();
    });
    const service = { baseUrl: await listening(server), token };
    await expect(firstResponse(service, 'a plant')).rejects.toThrow(/it sent more than 1\d{6} bytes/);
  },
);

test('a request fails after 5 s if there is no response, and its connection is closed', async () => {
  const server = createServer((socket) => socket.resume());
  const service = { baseUrl: await listening(server), token };
  const closed = once(server, 'connection').then(([socket]) => once(socket, 'close'));
  await expect(firstResponse(service, 'a plant')).rejects.toThrow('nothing complete within 5000 ms');
  await closed;
});
