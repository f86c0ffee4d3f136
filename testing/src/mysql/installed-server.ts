import { mkdtemp } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { type DedicatedServer, dedicatedServer, ownServerBy } from '../dedicated-server.ts';
import { freePort } from '../temporary-resources.ts';
import { programOf } from './programs.ts';
import { runSql } from './run-sql.ts';

/** What a test may have otherwise than MariaDB does. */
export interface ServerSettings {
  /** Whether what is committed is on the disk: true by default. */
  readonly fsync?: boolean;
  /** As on its command line. */
  readonly parameters?: readonly string[];
}

/**
 * Starts the `mariadbd` that is installed, at its database `mysql`, as root, on 127.0.0.1.
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
  // A server that starts removes temporary tables that it finds, those of others too.
  const always = ['--no-defaults', `--user=${userInfo().username}`, `--datadir=${data}`, `--tmpdir=${directory}`];
  // What is written before the first start need not survive the machine.
  const dataParameters = ['--auth-root-authentication-method=normal', '--skip-test-db', UNSYNCED, LOG_SIZE];
  const place = [`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(directory, 'socket')}`];
  const sizes = ['--max-connections=300', '--innodb-buffer-pool-size=32M', LOG_SIZE];
  const given = [...(fsync ? [] : [UNSYNCED]), ...parameters];
  return dedicatedServer({
    directory,
    url,
    stopSignal: 'KILL',
    dataParameters,
    initialise: { program: programOf('mariadb-install-db'), parameters: [...always, ...dataParameters] },
    serve: { program: programOf('mariadbd'), parameters: [...always, ...place, ...sizes, ...given] },
    async ping() {
      // Another program may have taken the port: a server that a test must not kill.
      const [row] = await runSql(url, 'select @@datadir as directory');
      if (resolve(String(row?.['directory'])) !== data) throw new Error('this is another server');
    },
  });
}

/** The same for the tests of a file or of a `describe`, once they run, and stopped after them. */
export function ownServer(settings?: ServerSettings): DedicatedServer {
  return ownServerBy(() => startDedicatedServer(settings));
}

const UNSYNCED = '--innodb-flush-method=nosync';

/** Of the same size from the beginning: a start would replace one of another size. */
const LOG_SIZE = '--innodb-log-file-size=16M';
