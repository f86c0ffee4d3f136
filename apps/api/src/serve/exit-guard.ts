import { spawn } from 'node:child_process';

/** How long a process may take to exit once nothing is left to do, in milliseconds. */
const EXIT_MS = 500;

/** Ends this process even if it cannot end itself. */
export interface ExitGuard {
  /** Exits; the process is killed if that takes longer than {@link EXIT_MS}. */
  exit(code: number): never;
}

/**
 * Has this process killed (SIGKILL) if it is still there after so many milliseconds, and so that it is noticed if exiting
 * itself hangs: `process.exit` ends all other threads and then waits for those that are blocked in a system call, such as one
 * that opens a file on an unreachable network file system or looks up a host name. So neither a timer nor a thread of this
 * process can do it; a child process does. It ends with this process.
 *
 * The first process of a container cannot be killed from inside (pid_namespaces(7)); its runtime does that.
 */
export function killAfter(ms: number): ExitGuard {
  const args = ['--eval', `(${guard})(${process.pid}, ${ms}, ${EXIT_MS})`];
  // No variables: neither secrets nor options for Node.
  const child = spawn(process.execPath, args, { env: {}, stdio: ['pipe', 'ignore', 'ignore'] });
  // Where no process can be started, the supervisor's own limit remains.
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.unref();
  return {
    exit(code) {
      child.stdin.write('exiting');
      process.exit(code);
    },
  };
}

/** Runs in the child process: it may use nothing from outside. */
function guard(pid: number, ms: number, exitMs: number): void {
  const kill = () => {
    // Another process may have its number by now.
    if (process.ppid === pid) process.kill(pid, 'SIGKILL');
    process.exit();
  };
  setTimeout(kill, ms);
  process.stdin.once('data', () => setTimeout(kill, exitMs)).on('end', () => process.exit());
}
