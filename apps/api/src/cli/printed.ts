import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Host } from '@plant-store/command-line';

/** Hosts whose standard output is watched. */
const watched = new WeakSet<Host>();

/**
 * Has a command go on, and clean up, when what it prints cannot be written: on a full disk it says so once, and exits with 1
 * unless it fails otherwise. A reader may close the pipe early, as `head` does: it has what it wanted.
 */
export function watchPrinted(host: Host): void {
  if (watched.has(host)) return;
  watched.add(host);
  let isTold = false;
  host.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || isTold) return;
    isTold = true;
    host.exitCode ||= 1;
    host.stderr.write(`plant-store: cannot write to standard output (${code})\n`);
  });
}

/** Exits, once it is known whether what was printed could be written. */
export async function exitWhenPrinted(host: Host, code: number): Promise<void> {
  if (code !== 0) host.exitCode = code;
  if (watched.has(host)) {
    const { stdout } = host;
    if (stdout.writableLength > 0) await new Promise((resolve) => stdout.write('', resolve));
    // A write that failed at once is reported a moment later.
    await nextTurn();
  }
  host.exit();
}
