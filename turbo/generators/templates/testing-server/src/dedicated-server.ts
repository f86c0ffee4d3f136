import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  acceptsConnections,
  type DedicatedServer,
  dedicatedServer,
  logOf,
  type ServerCommand,
  spawnServer,
} from '@plant-store/testing-servers';
import { notImplemented } from './not-implemented.ts';

/**
 * Starts a NewEngine of a test's own, which ends with this process, even if that is killed.
 *
 * @throws {Error} with the end of the server's log if it does not start.
 */
export async function startDedicatedServer(): Promise<DedicatedServer> {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-new-engine-'));
  const url = `new-engine://${encodeURIComponent(directory)}/`;
  return dedicatedServer({
    directory,
    url,
    stopSignal: 'KILL',
    // Where another program makes the data directory: run it here, with spawnServer too.
    async initialise() {},
    async start(onSpawn) {
      const server = await spawnServer(commandOf(directory), onSpawn);
      server.child.unref();
      if (await acceptsConnections(server, performance.now() + START_TIMEOUT_MS, () => ping(url))) return server;
      throw new Error(`NewEngine did not start: ${await logOf(directory)}`);
    },
  });
}

function commandOf(_directory: string): ServerCommand {
  throw notImplemented('commandOf: the program, and parameters that keep data and socket in the directory');
}

async function ping(_url: string): Promise<void> {
  throw notImplemented('ping: resolve if the server accepts a connection');
}

/** A start takes a second at most; recovering from a crash on a busy machine may take many times that. */
const START_TIMEOUT_MS = 30_000;
