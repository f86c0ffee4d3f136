import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runSql } from './run-sql.ts';
import type { ServerHome } from './server-home.ts';

/** Room for the connection pools of many test files at once; PostgreSQL's own default is 100. */
export const MAX_CONNECTIONS = 300;

/** A start takes a tenth of a second; recovering from a crash on a busy machine may take many times that. */
const START_TIMEOUT_MS = 30_000;

/** What a test may have otherwise than PostgreSQL does. */
export interface ServerSettings {
  /** Whether what is committed is on the disk. */
  readonly fsync: boolean;
}

/** The main process of a server. */
export interface Postmaster {
  readonly pid: number;
  /** Kills it with SIGKILL; the server's other processes notice, cut their connections and exit. */
  kill(): Promise<void>;
}

/**
 * Makes a new cluster.
 *
 * @param onSpawn called at once with the id of the started process; so for {@link startPostmaster}.
 */
export async function initialiseCluster(home: ServerHome, onSpawn: OnSpawn): Promise<void> {
  // The first files need not survive the machine: what is written later is synced.
  const settings = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'];
  const { exit } = await run(home, 'initdb', settings, onSpawn);
  const [code] = await exit;
  if (code !== 0) throw new Error(`initdb failed: ${await logOf(home)}`);
}

/** Starts the server, and resolves with its main process once it accepts connections. */
export async function startPostmaster(
  home: ServerHome,
  onSpawn: OnSpawn,
  { fsync }: ServerSettings,
): Promise<Postmaster> {
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${home.directory}`,
    'unix_socket_permissions=0700',
    `max_connections=${MAX_CONNECTIONS}`,
    // In the data directory, so that a killed server leaves none of it behind in /dev/shm.
    'dynamic_shared_memory_type=mmap',
    // Not `on` otherwise: ALTER SYSTEM could not change it.
    ...(fsync ? [] : ['fsync=off']),
  ].flatMap((setting) => ['-c', setting]);
  const giveUpAt = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const { child, pid, exit } = await run(home, 'postgres', ['-p', '5432', ...settings], onSpawn);
    child.unref();
    if (await acceptsConnections(home.url, child, giveUpAt)) return { pid, kill: () => kill(child, exit) };
    const log = await logOf(home);
    // The other processes of a killed server may still be exiting: PostgreSQL does not start beside them.
    if (!log.includes('is still in use') || performance.now() > giveUpAt)
      throw new Error(`PostgreSQL did not start: ${log}`);
    await sleep(50);
  }
}

type OnSpawn = (pid: number) => void;

interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly exit: Promise<readonly unknown[]>;
}

async function run(
  home: ServerHome,
  program: 'initdb' | 'postgres',
  parameters: readonly string[],
  onSpawn: OnSpawn,
): Promise<Running> {
  // A new file: processes of a killed server may still be writing to the old one.
  rmSync(logFile(home), { force: true });
  const log = openSync(logFile(home), 'w');
  const child = spawn(join(home.programs, program), ['-D', join(home.directory, 'data'), ...parameters], {
    ...home.account,
    cwd: home.directory,
    // Nothing else but the name of the run: variables such as PGPORT would configure the server.
    env: { PATH: process.env['PATH'], LC_ALL: 'C', PLANT_STORE_TEST_RUN: process.env['PLANT_STORE_TEST_RUN'] },
    // An interrupt from the terminal is for the test runner, which then stops the server.
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const exit = once(child, 'exit');
  if (child.pid === undefined) return exit.then(() => Promise.reject(new Error(`${program} did not start`)));
  onSpawn(child.pid);
  return { child, pid: child.pid, exit };
}

async function acceptsConnections(url: string, postmaster: ChildProcess, giveUpAt: number): Promise<boolean> {
  while (postmaster.exitCode === null && postmaster.signalCode === null && performance.now() < giveUpAt) {
    try {
      await runSql(url, 'SELECT 1');
      return true;
    } catch {
      await sleep(20);
    }
  }
  return false;
}

async function kill(child: ChildProcess, exit: Promise<unknown>): Promise<void> {
  child.ref();
  child.kill('SIGKILL');
  await exit;
}

async function logOf(home: ServerHome): Promise<string> {
  return (await readFile(logFile(home), 'utf8')).trim().slice(-1_000);
}

function logFile(home: ServerHome): string {
  return join(home.directory, 'server.log');
}
