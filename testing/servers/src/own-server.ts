import { afterAll, beforeAll } from 'vitest';
import type { DedicatedServer } from './dedicated-server.ts';

/** Starts a server before the tests of a file or of a `describe`, and stops it after them. Until then it is empty. */
export function ownServerBy(start: () => Promise<DedicatedServer>): DedicatedServer {
  const server = {} as DedicatedServer;
  beforeAll(async () => void Object.assign(server, await start()));
  afterAll(() => server.stop());
  return server;
}
