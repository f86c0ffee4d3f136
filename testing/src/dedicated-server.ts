import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { startReaper } from './reaper.ts';

/** A program and its parameters. */
interface Command {
  readonly program: string;
  readonly parameters: readonly string[];
}

/** A server for one test, which can cause its faults. */
export interface DedicatedServer {
  /** The URL, which does not change after `kill` and `start`. */
  readonly url: string;
  /** Kills all of the server's processes (SIGKILL). */
  kill(): Promise<void>;
  /** Restarts a killed server on the same data. Does nothing if it runs. */
  start(): Promise<void>;
  /** Suspends all of the server's processes (SIGSTOP): connections stay open, and nothing responds. */
  pause(): Promise<void>;
  /** Resumes a paused server (SIGCONT). */
  resume(): Promise<void>;
  /** Stops the server in any state, and removes its directory. */
  stop(): Promise<void>;
}

/** How an engine starts its server. */
interface ServerProgram {
  /** The directory of its data (in `data`), its socket and its log. */
  readonly directory: string;
  readonly url: string;
  /** The user to run it as. By default that of this process. */
  readonly account?: { readonly uid: number; readonly gid: number } | undefined;
  /** The signal that stops it immediately. */
  readonly stopSignal: 'KILL' | 'QUIT';
  /** Creates its data. */
  readonly initialise: Command;
  readonly serve: Command;
  /** Resolves if the server accepts connections. */
  ping(): Promise<unknown>;
}

interface RunningServer {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly exit: Promise<readonly unknown[]>;
}

/** The environment of the server. Variables such as PGPORT would configure it. */
const INHERITED = ['PATH', 'PLANT_STORE_TEST_RUN', 'LD_PRELOAD'];

/** A start takes 0.2 s. Crash recovery on a busy machine takes many times that. */
const START_TIMEOUT_MS = 30_000;

/**
 * Starts a server, which stops when this process ends, even if it is killed.
 *
 * @throws {Error} with the end of its log if it does not start.
 */
export async function dedicatedServer(program: ServerProgram): Promise<DedicatedServer> {
  const { directory, account, initialise, serve } = program;
  const reaper = startReaper(directory, program.stopSignal);

  const logFile = join(directory, 'server.log');
  const endOfLog = () => readFileSync(logFile, 'utf8').trim().slice(-1_000);

  function run({ program: path, parameters }: Command): ChildProcess {
    // Processes of a killed server may still write to the old file.
    rmSync(logFile, { force: true });
    const log = openSync(logFile, 'w');
    const child = spawn(path, parameters, {
      ...account,
      cwd: directory,
      env: { LC_ALL: 'C', ...Object.fromEntries(INHERITED.map((name) => [name, process.env[name]])) },
      // Ctrl-C must reach the test runner alone, which stops the server.
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
    const deadline = performance.now() + START_TIMEOUT_MS;
    for (;;) {
      const child = run(serve);
      const exit = once(child, 'exit');
      if (child.pid === undefined) await exit;
      child.unref();
      while (child.exitCode === null && child.signalCode === null && performance.now() < deadline) {
        const isReady = await program.ping().then(
          () => true,
          () => false,
        );
        if (isReady) return { child, pid: child.pid as number, exit };
        await sleep(20);
      }
      // PostgreSQL does not start until all processes of a killed server have exited.
      if (!endOfLog().includes('is still in use') || performance.now() > deadline)
        throw new Error(`${serve.program} did not start: ${endOfLog()}`);
    }
  }

  try {
    await makeData();
    let server = await start();
    let frozen: readonly number[] = [];
    let killed = false;
    return {
      url: program.url,
      async kill() {
        // Frozen first, because a process that has not noticed the death of its parent would still respond.
        const [, ...others] = await freezeProcesses(server.pid);
        for (const pid of others) process.kill(pid, 'SIGKILL');
        server.child.ref();
        server.child.kill('SIGKILL');
        await server.exit;
        killed = true;
        reaper.watch([]);
      },
      async start() {
        // `stop` would stop only the second of two running servers.
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
        // A killed PostgreSQL leaves shared memory behind, which only a restart frees.
        if (killed && program.stopSignal === 'QUIT') await start();
        await reaper.reap();
      },
    };
  } catch (error) {
    await reaper.reap();
    throw error;
  }
}

/** Starts a server before the tests of a file or a `describe`, and stops it after them. Its properties are set by then. */
export function ownServerBy(start: () => Promise<DedicatedServer>): DedicatedServer {
  const server = {} as DedicatedServer;
  beforeAll(async () => void Object.assign(server, await start()));
  afterAll(() => server.stop());
  return server;
}

/**
 * Stops a process and its children with SIGSTOP, the parent first, so that it starts no others. Resolves once all have stopped.
 *
 * @returns their process ids, the parent first.
 */
async function freezeProcesses(parent: number): Promise<readonly number[]> {
  await freeze([parent]);
  // Containers may lack `pgrep`, and macOS has no such list.
  const list = `/proc/${parent}/task/${parent}/children`;
  const children = existsSync(list) ? readFileSync(list, 'utf8') : output('pgrep', '-P', String(parent));
  const frozen = [parent, ...children.split(/\s+/).filter(Boolean).map(Number)];
  await freeze(frozen.slice(1));
  return frozen;
}

/** Resumes processes with SIGCONT, the parent last, because it could end its children. */
function thawProcesses(frozen: readonly number[]): void {
  for (const pid of frozen.toReversed()) process.kill(pid, 'SIGCONT');
}

/** Waits until the processes have stopped. A process may run for a moment after the signal, so a server might still respond. */
async function freeze(pids: readonly number[]): Promise<void> {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  for (const deadline = Date.now() + FREEZE_MS; !pids.every(isFrozen); await sleep(1))
    if (Date.now() > deadline) throw new Error(`not all of the processes ${pids} stopped within ${FREEZE_MS} ms`);
}

/** Stopping takes a millisecond, unless the process waits for a disk. */
const FREEZE_MS = 10_000;

/** Whether all threads have stopped (T, or t under a debugger) or ended (Z, X). */
function isFrozen(pid: number): boolean {
  const threads = `/proc/${pid}/task`;
  const states = existsSync('/proc/self/task')
    ? // The state follows the name of the command in parentheses.
      readdirSync(threads).map((thread) => /.*\) (\S)/s.exec(readText(`${threads}/${thread}/stat`))?.[1] ?? 'X')
    : [output('ps', '-o', 'state=', '-p', String(pid)).trim().slice(0, 1)];
  return states.every((state) => 'TtZX'.includes(state));
}

/** Reads a file; empty if the thread has ended meanwhile. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function output(program: string, ...parameters: readonly string[]): string {
  return spawnSync(program, parameters, { encoding: 'utf8' }).stdout;
}
