import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';

/** A process that stops a server and removes its directory when this process ends, even if it is killed. */
export interface Reaper {
  /** Sets the processes of the server, the main one first. While the server is suspended, they are all of its processes. */
  watch(pids: readonly number[]): void;
  /** Stops the server and removes its directory now. */
  reap(): Promise<void>;
}

/**
 * Starts a reaper. It is a shell that reads a pipe from this process, which the kernel closes even after `kill -9`.
 *
 * @param stopSignal the signal that stops the server immediately.
 */
export function startReaper(directory: string, stopSignal: 'KILL' | 'QUIT'): Reaper {
  const child = spawn('/bin/sh', ['-c', script, 'sh', directory, stopSignal], {
    // Ctrl-C must not end it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const exit = once(child, 'exit');
  exit.catch(() => {});
  child.unref();
  // To Node a pipe is a socket, which would keep this process alive.
  if (child.stdin instanceof Socket) child.stdin.unref();
  child.stdin.on('error', () => {});
  return {
    watch(pids) {
      child.stdin.write(`${pids.join(' ')}\n`);
    },
    async reap() {
      child.ref();
      child.stdin.end();
      await exit;
    },
  };
}

/** Sends SIGKILL five seconds after the signal. */
const script = `
directory=$1 signal=$2
while read -r line; do pids=$line; done
set -- $pids
if [ $# -gt 0 ]; then
  kill "-$signal" "$1"
  kill -CONT "$@"
  tries=0
  while kill -0 "$1" && [ $tries -lt 100 ]; do sleep 0.05; tries=$((tries + 1)); done
  if [ $tries -eq 100 ]; then kill -KILL "$@"; fi
fi
rm -rf "$directory" || { sleep 1; rm -rf "$directory"; }
`;
