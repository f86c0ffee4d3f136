import type { DestinationStream } from 'pino';

/** pino writes into `lastLevel` what the next line is. */
interface TogetherStream extends DestinationStream {
  lastLevel: number;
}

/**
 * Hands pino's lines on together: a write for each of them costs more than all the rest of logging. They are handed on
 * when there are enough of them, with every warning and error at once, after {@link LATEST_MS} at the latest, and when
 * the process ends. What ends it without a word (SIGKILL, SIGHUP, no memory left) may cost the lines of that time.
 *
 * @param open makes where they go to: something that, where it closes itself, does so after this.
 */
export function linesTogether(open: () => DestinationStream): TogetherStream {
  let lines = '';
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;

  function handOn(): void {
    clearTimeout(timer);
    timer = undefined;
    if (lines === '') return;
    const together = lines;
    lines = '';
    bytes = 0;
    destination.write(together);
  }

  // Both, and before the destination's own: where the event loop runs dry, pino's is closed between the two.
  process.on('beforeExit', handOn);
  process.on('exit', handOn);
  const destination = open();
  return {
    // Asks pino for the level of each line.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line) {
      const more = Buffer.byteLength(line);
      if (bytes + more > PIPE_BUF) handOn();
      timer ??= setTimeout(handOn, LATEST_MS).unref();
      lines += line;
      bytes += more;
      if (this.lastLevel >= WARN) handOn();
    },
  };
}

/** pino's level of warnings. */
const WARN = 40;

/** 20 ms: a line is there before anybody could look for it, and a lone request need not pay for a write. */
const LATEST_MS = 20;

/** 4,096 bytes: what is no longer than that is not mixed with what another worker writes to the same pipe (pipe(7)). */
const PIPE_BUF = 4_096;
