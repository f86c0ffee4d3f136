import { type ChildProcess, spawn } from 'node:child_process';

/**
 * How long a process may take to exit once nothing is left to do, in milliseconds. It takes some 20 ms, and 200 ms more if the
 * reader of the log does not take the last lines; on a machine with four times the work that its cores can do, over 1 s was seen.
 */
export const EXIT_MS = 3_000;

/** Ends this process even if it cannot end itself. */
export interface ExitGuard {
  /** Exits; the process is killed if that takes longer than {@link EXIT_MS}. */
  exit(code: number): never;
}

/**
 * Has this process killed (SIGKILL) if it has not begun to exit after so many milliseconds, or if exiting takes longer than
 * {@link EXIT_MS}: `process.exit` ends all other threads and then waits for those that are blocked in a system call, such as one
 * that opens a file on an unreachable network file system or looks up a host name. So neither a timer nor a thread of this
 * process can do it; a child process does. It ends with this process, and not by a signal to its process group. Where no
 * process can be started, for lack of memory or file descriptors, the supervisor's own limit remains.
 *
 * The first process of a container cannot be killed from inside (pid_namespaces(7)); its runtime does that.
 */
export function killAfter(ms: number): ExitGuard {
  const child = startGuard(ms);
  return {
    exit(code) {
      child?.stdin?.write('exiting');
      process.exit(code);
    },
  };
}

function startGuard(ms: number): ChildProcess | undefined {
  const args = ['--eval', `(${guard})(${process.pid}, ${ms + EXIT_MS}, ${EXIT_MS})`];
  try {
    // No variables: neither secrets nor options for Node. Detached: a process group of its own.
    const child = spawn(process.execPath, args, { env: {}, stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    child.on('error', () => {});
    // There is none if no file can be opened.
    child.stdin?.on('error', () => {});
    child.unref();
    return child;
  } catch {
    return undefined;
  }
}

/** Runs in the child process: it may use nothing from outside. */
function guard(pid: number, ms: number, exitMs: number): void {
  const kill = () => {
    // Another process may have its number by now.
    if (process.ppid === pid) process.kill(pid, 'SIGKILL');
    process.exit();
  };
  // A supervisor may signal every process of the service.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});
  setTimeout(kill, ms);
  process.stdin.once('data', () => setTimeout(kill, exitMs)).on('end', () => process.exit());
}
