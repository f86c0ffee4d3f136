import type { DestinationStream } from 'pino';

/** pino sets `lastLevel` to the level of the line that follows. */
interface LeveledStream extends DestinationStream {
  lastLevel: number;
}

/**
 * Buffers pino's lines: one write for each costs more than the rest of logging. The buffer is flushed when it is full, with
 * every warning and error, after {@link FLUSH_MS} and when the process exits. If the process dies without an exit event
 * (SIGKILL, SIGHUP, out of memory), the lines of that interval are lost.
 *
 * @param open makes the destination; if that closes itself at exit, it does so after the last flush.
 */
export function logBuffer(open: () => DestinationStream): LeveledStream {
  let lines = '';
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (lines === '') return;
    const flushed = lines;
    lines = '';
    bytes = 0;
    destination.write(flushed);
  }

  // Both, and before the destination's own listeners: if the event loop runs empty, pino's closes between the two.
  process.on('beforeExit', flush);
  process.on('exit', flush);
  const destination = open();
  return {
    // Asks pino for the level of each line.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line) {
      const more = Buffer.byteLength(line);
      if (bytes + more > PIPE_BUF) flush();
      timer ??= setTimeout(flush, FLUSH_MS).unref();
      lines += line;
      bytes += more;
      if (this.lastLevel >= WARN) flush();
    },
  };
}

/** pino's level of warnings. */
const WARN = 40;

/** 20 ms: too short for a person to notice, and a single request does not pay for a write. */
const FLUSH_MS = 20;

/** 4,096 bytes: a write up to this size does not interleave with those of other workers to the same pipe (pipe(7)). */
const PIPE_BUF = 4_096;
