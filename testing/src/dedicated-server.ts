import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { cachedDirectory } from './cached-directory.ts';
import { freezeProcesses, thawProcesses } from './freeze-processes.ts';
import { startReaper } from './reaper.ts';

/** How a program of a server is started. */
interface Command {
  readonly program: string;
  readonly parameters: readonly string[];
}

/** A server of a test's own that can be made to fail. */
export interface DedicatedServer {
  /** Stays the same over `kill` and `start`. */
  readonly url: string;
  /** Kills all of the server's processes (SIGKILL). */
  kill(): Promise<void>;
  /** Starts a killed server again on the same data; one that runs is left as it is. */
  start(): Promise<void>;
  /** Suspends all of the server's processes (SIGSTOP): connections stay open, and nothing responds. */
  pause(): Promise<void>;
  /** Resumes a paused server (SIGCONT). */
  resume(): Promise<void>;
  /** Stops the server in any state, and removes its directory. */
  stop(): Promise<void>;
}

/** What an engine knows of its server. */
interface ServerProgram {
  /** The server's own: its data, in `data`, its socket, its log. */
  readonly directory: string;
  readonly url: string;
  /** The user to run it as, if not the user of this process. */
  readonly account?: { readonly uid: number; readonly gid: number } | undefined;
  /** What stops it at once. */
  readonly stopSignal: 'KILL' | 'QUIT';
  /** Makes the data that it starts with. */
  readonly initialise: Command;
  /** Of these parameters, those that the data depends on. */
  readonly dataParameters: readonly string[];
  readonly serve: Command;
  /** Rejects unless it accepts connections. */
  ping(): Promise<unknown>;
}

interface RunningServer {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly exit: Promise<readonly unknown[]>;
}

/** Besides, the name of the run and what is preloaded. */
const PASSED_ON = ['PATH', 'PLANT_STORE_TEST_RUN', 'LD_PRELOAD'];

/** A start takes a fifth of a second; recovering from a crash on a busy machine may take many times that. */
const START_TIMEOUT_MS = 30_000;

/**
 * Starts a server, which ends with this process, even if that is killed.
 *
 * @throws {Error} with the end of its log if it does not start.
 */
export async function dedicatedServer(program: ServerProgram): Promise<DedicatedServer> {
  const { directory, account, initialise, serve } = program;
  const reaper = startReaper(directory, program.stopSignal);

  const logFile = join(directory, 'server.log');
  const endOfLog = () => readFileSync(logFile, 'utf8').trim().slice(-1_000);

  function run({ program: path, parameters }: Command): ChildProcess {
    // A new file: processes of a killed server may still be writing to the old one.
    rmSync(logFile, { force: true });
    const log = openSync(logFile, 'w');
    const child = spawn(path, parameters, {
      ...account,
      cwd: directory,
      // Variables such as PGPORT would configure the server.
      env: { LC_ALL: 'C', ...Object.fromEntries(PASSED_ON.map((name) => [name, process.env[name]])) },
      // An interrupt from the terminal is for the test runner, which then stops the server.
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    if (child.pid !== undefined) reaper.watch([child.pid]);
    return child;
  }

  async function makeData(): Promise<void> {
    const [code] = await once(run(initialise), 'exit');
    if (code !== 0) throw new Error(`${initialise.program} failed: ${endOfLog()}`);
  }

  async function start(): Promise<RunningServer> {
    const giveUpAt = performance.now() + START_TIMEOUT_MS;
    for (;;) {
      const child = run(serve);
      const exit = once(child, 'exit');
      if (child.pid === undefined) await exit;
      child.unref();
      while (child.exitCode === null && child.signalCode === null && performance.now() < giveUpAt) {
        const accepts = await program.ping().then(
          () => true,
          () => false,
        );
        if (accepts) return { child, pid: child.pid as number, exit };
        await sleep(20);
      }
      // The other processes of a killed PostgreSQL may still be exiting: it does not start beside them.
      if (!endOfLog().includes('is still in use') || performance.now() > giveUpAt)
        throw new Error(`${serve.program} did not start: ${endOfLog()}`);
    }
  }

  try {
    const data = join(directory, 'data');
    await cachedDirectory(data, initialise.program, program.dataParameters, makeData);
    // Files that were copied belong to this user.
    if (account) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, data]);
    let server = await start();
    let frozen: readonly number[] = [];
    let killed = false;
    return {
      url: program.url,
      async kill() {
        // Stopped first: one that has not noticed that the main process is gone would still respond.
        const [, ...others] = await freezeProcesses(server.pid);
        for (const pid of others) process.kill(pid, 'SIGKILL');
        server.child.ref();
        server.child.kill('SIGKILL');
        await server.exit;
        killed = true;
        reaper.watch([]);
      },
      async start() {
        // Of two that run only the second would be stopped.
        if (!killed) return;
        server = await start();
        killed = false;
      },
      async pause() {
        frozen = await freezeProcesses(server.pid);
        reaper.watch(frozen);
      },
      async resume() {
        thawProcesses(frozen);
        reaper.watch([server.pid]);
      },
      async stop() {
        // A killed PostgreSQL leaves shared memory, of which a system has little, and which only a start frees.
        if (killed && program.stopSignal === 'QUIT') await start();
        await reaper.reap();
      },
    };
  } catch (error) {
    await reaper.reap();
    throw error;
  }
}

/** Starts a server before the tests of a file or of a `describe`, and stops it after them. Until then it is empty. */
export function ownServerBy(start: () => Promise<DedicatedServer>): DedicatedServer {
  const server = {} as DedicatedServer;
  beforeAll(async () => void Object.assign(server, await start()));
  afterAll(() => server.stop());
  return server;
}
