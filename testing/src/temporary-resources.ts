import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Registers a clean-up: vitest's `onTestFinished`, that of a concurrent test's context, or `afterAll`. */
export type OnTestFinished = (cleanUp: () => void | Promise<void>) => void;

/**
 * Makes a server listen on a free port of 127.0.0.1, and resolves with the port.
 *
 * @param onTestFinished closes the server and an HTTP server's connections. Without it the caller closes the server.
 */
export async function listening(server: Server | HttpServer, onTestFinished?: OnTestFinished): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished?.(() => {
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** Resolves with a free port of 127.0.0.1. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  await once(server.close(), 'close');
  return port;
}

/** Creates a directory that is removed at the end of the test. */
export async function scratchDirectory(onTestFinished: OnTestFinished): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
