import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';

/** A process that stops a server and removes its directory as soon as this process has ended, however it ended. */
export interface Reaper {
  /** Sets the processes of the server: the main one first, and all of them while they are suspended. */
  watch(pids: readonly number[]): void;
  /** Reaps at once, and resolves when that is done. */
  reap(): Promise<void>;
}

/**
 * Starts the reaper of a directory. It is a shell that waits for a line, or for the end, of a pipe whose other end
 * this process has open: the kernel closes that when the process dies, kill -9 included, so nothing is polled.
 *
 * @param stopSignal what stops the server at once.
 */
export function startReaper(directory: string, stopSignal: 'KILL' | 'QUIT'): Reaper {
  const child = spawn('/bin/sh', ['-c', script, 'sh', directory, stopSignal], {
    // In a session of its own: an interrupt from the terminal must not end it before its work is done.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const exit = once(child, 'exit');
  exit.catch(() => {});
  child.unref();
  // To Node a pipe is a socket, which would keep the process from ending.
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

/** Five seconds after the signal, SIGKILL. */
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
