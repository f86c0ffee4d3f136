import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startReaper } from '@plant-store/testing-postgres/reaper';
import { runSql } from './run-sql.ts';

/** A MariaDB of a test's own that can be made to fail. */
export interface DedicatedServer {
  /** Its database `mysql`, as root, on 127.0.0.1. It stays the same over `kill` and `start`. */
  readonly url: string;
  /** Kills it with SIGKILL. */
  kill(): Promise<void>;
  /** Starts a killed server again on the same data. */
  start(): Promise<void>;
  /** Suspends it with SIGSTOP: connections stay open, and nothing responds. */
  pause(): Promise<void>;
  /** Resumes it with SIGCONT. */
  resume(): Promise<void>;
  /** Kills the server in any state, and removes its data. */
  stop(): Promise<void>;
}

/** Whether this machine has the programs. */
export function isInstalled(): boolean {
  return [find('mariadbd'), find('mariadb-install-db')].every((path) => path !== undefined);
}

/**
 * Starts the `mariadbd` that is installed. It ends with this process, even if that is killed.
 *
 * @param settings of the server, as on its command line. Commits are durable by default.
 * @throws {Error} with the end of the server's log if it does not start.
 */
export async function startDedicatedServer(...settings: string[]): Promise<DedicatedServer> {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-my-'));
  const reaper = startReaper(directory);
  const port = await freePort();
  const url = `mysql://root@127.0.0.1:${port}/mysql`;
  const common = ['--no-defaults', `--datadir=${join(directory, 'data')}`, `--user=${userInfo().username}`];

  async function run(program: string, ...parameters: string[]): Promise<ChildProcess> {
    const path = find(program);
    if (path === undefined) throw new Error(`${program} is not installed`);
    const log = openSync(logFile(directory), 'w');
    // Detached: an interrupt from the terminal is for the test runner, which then stops the server.
    const child = spawn(path, [...common, ...parameters], {
      detached: true,
      cwd: directory,
      // A server that starts removes temporary tables that it finds, those of others too.
      env: { ...process.env, TMPDIR: directory },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    await once(child, 'spawn');
    if (child.pid !== undefined) reaper.watch([child.pid]);
    return child;
  }

  async function start(): Promise<ChildProcess> {
    const socket = `--socket=${join(directory, 'socket')}`;
    const sizes = ['--max-connections=300', '--innodb-buffer-pool-size=32M', '--innodb-log-file-size=16M'];
    const child = await run('mariadbd', `--port=${port}`, '--bind-address=127.0.0.1', socket, ...sizes, ...settings);
    child.unref();
    for (const giveUpAt = performance.now() + START_TIMEOUT_MS; ; await sleep(20)) {
      if (await runSql(url, 'select 1').catch(() => undefined)) return child;
      if (child.exitCode !== null || child.signalCode !== null || performance.now() > giveUpAt)
        throw new Error(`MariaDB did not start: ${(await readFile(logFile(directory), 'utf8')).trim().slice(-1_000)}`);
    }
  }

  try {
    // What is written before the first start need not survive the machine.
    const options = ['--auth-root-authentication-method=normal', '--skip-test-db', '--innodb-flush-method=nosync'];
    const [code] = await once(await run('mariadb-install-db', ...options), 'exit');
    if (code !== 0) throw new Error(`mariadb-install-db failed: ${await readFile(logFile(directory), 'utf8')}`);
    let server = await start();
    const kill = async () => {
      if (server.exitCode !== null || server.signalCode !== null) return;
      server.ref();
      const exit = once(server, 'exit');
      server.kill('SIGKILL');
      await exit;
      reaper.watch([]);
    };
    return {
      url,
      kill,
      async start() {
        server = await start();
      },
      pause: async () => void server.kill('SIGSTOP'),
      resume: async () => void server.kill('SIGCONT'),
      async stop() {
        await kill();
        await reaper.reap();
      },
    };
  } catch (error) {
    await reaper.reap();
    throw error;
  }
}

/** A start takes a fifth of a second; recovering from a crash on a busy machine may take many times that. */
const START_TIMEOUT_MS = 30_000;

/** Debian and Homebrew put the server where not every user's PATH leads. */
function find(program: string): string | undefined {
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return directories.map((each) => join(each, program)).find((path) => existsSync(path));
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  await new Promise((closed) => listener.close(closed));
  return port;
}

function logFile(directory: string): string {
  return join(directory, 'server.log');
}
