import { once } from 'node:events';
import { connect, createServer, type ListenOptions, type Socket } from 'node:net';
import { join } from 'node:path';
import { scratchDirectory } from '@plant-store/testing-servers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { cancelStatement } from '../src/driver/cancel-statement.ts';

/** Cancels a statement of a server at a port, or in the directory of a unix socket. */
const cancel = (host: string, port: number, giveUpMs?: number) =>
  cancelStatement({ host, port, processID: 7, secretKey: 2 } as never, giveUpMs);

/** The next client of a server that listens there. */
async function clientOf(at: ListenOptions, act: (port: number) => void) {
  const server = createServer({ allowHalfOpen: true }).listen(at);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  act(typeof address === 'object' ? (address?.port ?? 0) : 5432);
  const [socket] = await once(server, 'connection');
  onTestFinished(() => socket.destroy());
  return socket as Socket;
}

test('a CancelRequest names the process and its key, over TCP and over a unix socket', async () => {
  const directory = await scratchDirectory(onTestFinished);
  for (const [host, at] of [
    ['127.0.0.1', { host: '127.0.0.1', port: 0 }],
    [directory, { path: join(directory, '.s.PGSQL.5432') }],
  ] as const) {
    const [request] = await once(await clientOf(at, (port) => cancel(host, port)), 'data');
    expect(request.toString('hex')).toBe('0000001004d2162e0000000700000002');
  }
});

test('a CancelRequest that cannot be sent is ignored', async () => {
  const onUncaught = vi.fn<(error: Error) => void>();
  process.on('uncaughtException', onUncaught);
  onTestFinished(() => void process.off('uncaughtException', onUncaught));
  cancel('127.0.0.1', 1);
  await once(connect(1, '127.0.0.1'), 'error');
  expect(onUncaught).not.toHaveBeenCalled();
});

test('a CancelRequest that a server takes without closing the connection is given up', async () => {
  const socket = await clientOf({ host: '127.0.0.1', port: 0 }, (port) => cancel('127.0.0.1', port, 20));
  // The client is gone once it responds to what it gets with a reset.
  const writing = setInterval(() => socket.write('anything'), 50);
  onTestFinished(() => clearInterval(writing));
  const [error] = await once(socket, 'error').catch((reason) => [reason]);
  expect(error.code).toMatch(/ECONNRESET|EPIPE/);
});
