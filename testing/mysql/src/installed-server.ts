import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import {
  acceptsConnections,
  cachedDirectory,
  type DedicatedServer,
  dedicatedServer,
  freePort,
  logOf,
  type OnSpawn,
  ownServerBy,
  type ServerProcess,
  spawnServer,
} from '@plant-store/testing-servers';
import { runSql } from './run-sql.ts';

/** Whether this machine has the programs. */
export function isInstalled(): boolean {
  return [find('mariadbd'), find('mariadb-install-db')].every((path) => path !== undefined);
}

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
  parameters: given = [],
}: ServerSettings = {}): Promise<DedicatedServer> {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-my-'));
  const port = await freePort();
  const url = `mysql://root@127.0.0.1:${port}/mysql`;

  async function run(name: string, parameters: readonly string[], onSpawn: OnSpawn): Promise<ServerProcess> {
    const user = `--user=${userInfo().username}`;
    // A server that starts removes temporary tables that it finds, those of others too.
    const places = [`--datadir=${join(directory, 'data')}`, `--tmpdir=${directory}`];
    return spawnServer(
      { directory, program: programOf(name), parameters: ['--no-defaults', user, ...places, ...parameters] },
      onSpawn,
    );
  }

  /** Another program may have taken the port: a server that a test must not kill. */
  async function assertOurs(): Promise<void> {
    const [row] = await runSql(url, 'select @@datadir as directory');
    if (resolve(String(row?.['directory'])) !== join(directory, 'data')) throw new Error('this is another server');
  }

  return dedicatedServer({
    directory,
    url,
    stopSignal: 'KILL',
    async initialise(onSpawn) {
      // What is written before the first start need not survive the machine.
      const options = ['--auth-root-authentication-method=normal', '--skip-test-db', UNSYNCED];
      const parameters = [...options, LOG_SIZE];
      await cachedDirectory(join(directory, 'data'), { program: programOf('mariadbd'), parameters }, async () => {
        const [code] = await (await run('mariadb-install-db', parameters, onSpawn)).exit;
        if (code !== 0) throw new Error(`mariadb-install-db failed: ${await logOf(directory)}`);
      });
    },
    async start(onSpawn) {
      const place = [`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(directory, 'socket')}`];
      const sizes = ['--max-connections=300', '--innodb-buffer-pool-size=32M', LOG_SIZE];
      const server = await run('mariadbd', [...place, ...sizes, ...(fsync ? [] : [UNSYNCED]), ...given], onSpawn);
      server.child.unref();
      const giveUpAt = performance.now() + START_TIMEOUT_MS;
      if (await acceptsConnections(server, giveUpAt, assertOurs)) return server;
      throw new Error(`MariaDB did not start: ${await logOf(directory)}`);
    },
  });
}

/** The same for the tests of a file or of a `describe`, once they run, and stopped after them. */
export function ownServer(settings?: ServerSettings): DedicatedServer {
  return ownServerBy(() => startDedicatedServer(settings));
}

/** A start takes a fifth of a second; recovering from a crash on a busy machine may take many times that. */
const START_TIMEOUT_MS = 30_000;

const UNSYNCED = '--innodb-flush-method=nosync';

/** Of the same size from the beginning: a start would replace one of another size. */
const LOG_SIZE = '--innodb-log-file-size=16M';

function programOf(name: string): string {
  const program = find(name);
  if (program === undefined) throw new Error(`${name} is not installed`);
  return program;
}

/** Debian and Homebrew put the server where not every user's PATH leads. */
function find(program: string): string | undefined {
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return directories.map((each) => join(each, program)).find((path) => existsSync(path));
}
