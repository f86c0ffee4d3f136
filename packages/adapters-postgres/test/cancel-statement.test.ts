import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { cancelStatement } from '../src/driver/cancel-statement.ts';
import { openConnections } from '../src/driver/connections.ts';
import { completeOptions } from '../src/options.ts';

test('a CancelRequest names the process and its key, over TCP and over a unix socket', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  for (const host of ['127.0.0.1', directory]) {
    const server = createServer();
    const request = firstRequest(server);
    const port = await listening(server, host);
    cancelStatement(backend({ host, port, processID: 7 }));
    expect(await request).toBe('0000001004d2162e0000000700000002');
  }
});

test('a statement is cancelled when it is late, not when its connection is lost', async () => {
  const server = createServer();
  const request = firstRequest(server);
  const port = await listening(server, '127.0.0.1');
  const processes = [1, 2];
  const destroyed = Promise.withResolvers<never>();
  const connection = { stream: { destroy: destroyed.reject } };
  const connections = openConnections(
    completeOptions({ connectionString: 'postgres://db.example/plants', dropAfterMs: 100 }),
    undefined,
    {
      connect: async () => backend({ host: '127.0.0.1', port, processID: processes.shift(), connection }),
      end: async () => {},
    },
  );
  const lost = Promise.reject(new Error('Connection terminated unexpectedly'));
  for (const [statement, message] of [
    [lost, 'Connection terminated unexpectedly'],
    [destroyed.promise, 'the server did not end a statement within 100 ms'],
  ] as const) {
    const { use } = await connections.connect();
    await expect(use(() => statement)).rejects.toThrow(message);
  }
  expect(await request).toMatch(/^0000001004d2162e00000002/);
});

test('a CancelRequest that cannot be sent is ignored', async () => {
  const onUncaught = vi.fn<(error: Error) => void>();
  process.on('uncaughtException', onUncaught);
  onTestFinished(() => void process.off('uncaughtException', onUncaught));
  cancelStatement(backend({ host: '127.0.0.1', port: 1 }));
  await once(connect(1, '127.0.0.1'), 'error');
  expect(onUncaught).not.toHaveBeenCalled();
});

test('a CancelRequest that a server takes without closing the connection is given up', async () => {
  const server = createServer({ allowHalfOpen: true });
  const port = await listening(server, '127.0.0.1');
  cancelStatement(backend({ host: '127.0.0.1', port }), 50);
  const socket = await nextClient(server);
  // What is received would begin the time again.
  await sleep(100);
  const failed = once(socket, 'error').then(() => 'failed');
  // The client's end responds to the first that it is gone, and the next one fails.
  const writing = setInterval(() => socket.write('anything'), 50);
  onTestFinished(() => clearInterval(writing));
  expect(await Promise.race([failed, sleep(5_000)])).toBe('failed');
});

/** What is read of a client. */
function backend(fields: {
  readonly host: string;
  readonly port: number;
  readonly processID?: number | undefined;
  readonly connection?: object;
}) {
  return { processID: 1, secretKey: 2, ...fields } as never;
}

async function nextClient(server: Server): Promise<Socket> {
  const [socket] = await once(server, 'connection', { signal: AbortSignal.timeout(5_000) });
  return socket;
}

/** Resolves with the first message of the first client, in hexadecimal. */
async function firstRequest(server: Server): Promise<string> {
  const socket = await nextClient(server);
  const [request] = (await once(socket, 'data')) as [Buffer];
  socket.end();
  return request.toString('hex');
}

/** Resolves with the port: on an address a free one, in a directory any. */
async function listening(server: Server, host: string): Promise<number> {
  onTestFinished(() => void server.close());
  await once(host.startsWith('/') ? server.listen(join(host, '.s.PGSQL.5432')) : server.listen(0, host), 'listening');
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 5432;
}
