import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type OnSpawn = (pid: number) => void;

/** How a program of a server is started. */
export interface ServerCommand {
  /** Where it runs, and where its log is. */
  readonly directory: string;
  readonly program: string;
  readonly parameters: readonly string[];
  /** The user to run it as, if not the user of this process. */
  readonly account?: { readonly uid: number; readonly gid: number } | undefined;
}

/** A program that runs. */
export interface ServerProcess {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly exit: Promise<readonly unknown[]>;
  /** Kills it with SIGKILL, and resolves when it has exited. */
  kill(): Promise<void>;
}

/** Starts a program, and calls back at once with its process id. */
export async function spawnServer(command: ServerCommand, onSpawn: OnSpawn): Promise<ServerProcess> {
  const { directory, program, parameters, account } = command;
  // A new file: processes of a killed server may still be writing to the old one.
  rmSync(logFile(directory), { force: true });
  const log = openSync(logFile(directory), 'w');
  const child = spawn(program, parameters, {
    ...account,
    cwd: directory,
    // Besides, only the name of the run and what is preloaded: variables such as PGPORT would configure the server.
    env: {
      PATH: process.env['PATH'],
      LC_ALL: 'C',
      PLANT_STORE_TEST_RUN: process.env['PLANT_STORE_TEST_RUN'],
      LD_PRELOAD: process.env['LD_PRELOAD'],
    },
    // An interrupt from the terminal is for the test runner, which then stops the server.
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const exit = once(child, 'exit');
  if (child.pid === undefined) return exit.then(() => Promise.reject(new Error(`${program} did not start`)));
  onSpawn(child.pid);
  async function kill(): Promise<void> {
    child.ref();
    child.kill('SIGKILL');
    await exit;
  }
  return { child, pid: child.pid, exit, kill };
}

/** Tries until the attempt resolves; false if the program exits before that, or the time is up. */
export async function acceptsConnections(
  { child }: ServerProcess,
  giveUpAt: number,
  attempt: () => Promise<unknown>,
): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null && performance.now() < giveUpAt) {
    try {
      await attempt();
      return true;
    } catch {
      await sleep(20);
    }
  }
  return false;
}

/** The end of what the program in a directory has written. */
export async function logOf(directory: string): Promise<string> {
  return (await readFile(logFile(directory), 'utf8')).trim().slice(-1_000);
}

function logFile(directory: string): string {
  return join(directory, 'server.log');
}
