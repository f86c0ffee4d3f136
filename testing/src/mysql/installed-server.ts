import { mkdtemp } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { type DedicatedServer, dedicatedServer, ownServerBy } from '../dedicated-server.ts';
import { freePort } from '../temporary-resources.ts';
import { runSql } from './database.ts';
import { findProgram } from './programs.ts';

/** The settings of a server. */
export interface ServerSettings {
  /** Whether commits are synced. True by default. */
  readonly fsync?: boolean;
  /** Additional command-line parameters. */
  readonly parameters?: readonly string[];
}

/**
 * Starts the installed `mariadbd` on 127.0.0.1. The URL is for its root and its database `mysql`.
 *
 * @throws {Error} with the end of the server's log if it does not start.
 */
export async function startDedicatedServer({
  fsync = true,
  parameters = [],
}: ServerSettings = {}): Promise<DedicatedServer> {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-my-'));
  const port = await freePort();
  const url = `mysql://root@127.0.0.1:${port}/mysql`;
  const data = join(directory, 'data');
  // A starting server removes all temporary tables in its tmpdir, also those of other servers.
  const always = ['--no-defaults', `--user=${userInfo().username}`, `--datadir=${data}`, `--tmpdir=${directory}`];
  // The initial files need no sync.
  const initial = ['--auth-root-authentication-method=normal', '--skip-test-db', UNSYNCED, LOG_SIZE];
  const place = [`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(directory, 'socket')}`];
  const sizes = ['--max-connections=300', '--innodb-buffer-pool-size=32M', LOG_SIZE];
  const given = [...(fsync ? [] : [UNSYNCED]), ...parameters];
  return dedicatedServer({
    directory,
    url,
    stopSignal: 'KILL',
    initialise: { program: findProgram('mariadb-install-db'), parameters: [...always, ...initial] },
    serve: { program: findProgram('mariadbd'), parameters: [...always, ...place, ...sizes, ...given] },
    async ping() {
      // Another server may have taken the port.
      const [row] = await runSql(url, 'select @@datadir as directory');
      if (resolve(String(row?.['directory'])) !== data) throw new Error('this is another server');
    },
  });
}

/** Starts it before the tests of a file or a `describe`, and stops it after them. */
export function ownServer(settings?: ServerSettings): DedicatedServer {
  return ownServerBy(() => startDedicatedServer(settings));
}

const UNSYNCED = '--innodb-flush-method=nosync';

/** Also set for the initial files, because a start replaces a log of another size. */
const LOG_SIZE = '--innodb-log-file-size=16M';
