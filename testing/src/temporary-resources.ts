import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Registers a clean-up: Vitest's `onTestFinished`, in concurrent tests that of their context, or `afterAll`. */
export type OnTestFinished = (cleanUp: () => void | Promise<void>) => void;

/**
 * Lets a server listen on a free port of 127.0.0.1, and resolves with the port.
 *
 * @param onTestFinished registers that it is closed, an HTTP server with its connections; without it the caller closes it.
 */
export async function listening(server: Server | HttpServer, onTestFinished?: OnTestFinished): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished?.(() => {
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** A port of 127.0.0.1 on which nobody listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  await once(server.close(), 'close');
  return port;
}

/** A new directory that is removed at the end of the test that made it. */
export async function scratchDirectory(onTestFinished: OnTestFinished): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
