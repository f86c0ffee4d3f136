import { freezeProcesses, thawProcesses } from './freeze-processes.ts';
import { startReaper } from './reaper.ts';
import type { OnSpawn, ServerProcess } from './server-process.ts';

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
export interface ServerProgram {
  /** The server's own: its data, its socket, its log. */
  readonly directory: string;
  readonly url: string;
  /** What stops it at once. */
  readonly stopSignal: 'KILL' | 'QUIT';
  /** Whether a killed server leaves something outside the directory that only a start frees. */
  readonly leavesMemory?: boolean;
  /** Makes the data that it starts with. `onSpawn` is called at once with the id of each process that is started. */
  initialise(onSpawn: OnSpawn): Promise<void>;
  /**
   * Resolves once it accepts connections.
   * @throws {Error} with the end of its log if it does not.
   */
  start(onSpawn: OnSpawn): Promise<Pick<ServerProcess, 'pid' | 'kill'>>;
}

/**
 * Starts a server, which ends with this process, even if that is killed.
 *
 * @throws what the program throws.
 */
export async function dedicatedServer(program: ServerProgram): Promise<DedicatedServer> {
  const reaper = startReaper(program.directory, program.stopSignal);
  const watch: OnSpawn = (pid) => reaper.watch([pid]);
  try {
    await program.initialise(watch);
    let server = await program.start(watch);
    let frozen: readonly number[] = [];
    let killed = false;
    return {
      url: program.url,
      async kill() {
        // Stopped first: one that has not noticed that the main process is gone would still respond.
        const [, ...others] = await freezeProcesses(server.pid);
        for (const pid of others) process.kill(pid, 'SIGKILL');
        await server.kill();
        killed = true;
        reaper.watch([]);
      },
      async start() {
        // Of two that run only the second would be stopped.
        if (!killed) return;
        server = await program.start(watch);
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
        if (killed && program.leavesMemory) await program.start(watch);
        await reaper.reap();
      },
    };
  } catch (error) {
    await reaper.reap();
    throw error;
  }
}
