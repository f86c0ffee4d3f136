import { constants, fstatSync, openSync } from 'node:fs';
import { isatty } from 'node:tty';

/**
 * A file descriptor of standard output (1) or standard error (2) on which a write fails with EAGAIN if the reader is behind,
 * instead of waiting for it.
 *
 * A file is written as fast as its disk takes it: there is no such mode for it. Elsewhere than on Linux, a terminal that is
 * paused (Ctrl-S) makes writes wait.
 */
export function nonBlocking(fd: 1 | 2): number {
  if (isatty(fd) || fstatSync(fd).isFIFO()) {
    try {
      // A new description of the same pipe: the given one is shared with other processes, which may make it block again.
      return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    } catch {
      // Not on Linux, or it belongs to another user.
    }
  }
  // Node makes pipes and sockets non-blocking when it makes the stream.
  void (fd === 1 ? process.stdout : process.stderr);
  return fd;
}
