import type { DestinationStream } from 'pino';

/**
 * Hands lines on together: a write for each of them costs more than all the rest of logging. They are handed on when
 * there are enough of them, after {@link LATEST_MS} at the latest, and when the process exits; only what kills it
 * (SIGKILL) may cost the last of them.
 */
export function linesTogether(destination: DestinationStream): DestinationStream {
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

  process.on('exit', handOn);
  return {
    write(line) {
      const more = Buffer.byteLength(line);
      if (bytes + more > PIPE_BUF) handOn();
      timer ??= setTimeout(handOn, LATEST_MS).unref();
      lines += line;
      bytes += more;
    },
  };
}

/** 20 ms: a line is there before anybody could look for it, and a lone request need not pay for a write. */
const LATEST_MS = 20;

/** 4,096 bytes: what is no longer than that is not mixed with what another worker writes to the same pipe (pipe(7)). */
const PIPE_BUF = 4_096;
