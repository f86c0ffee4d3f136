import { constants, openSync } from 'node:fs';
import { isatty } from 'node:tty';
import { type Logger, pino } from 'pino';
import sonicBoom from 'sonic-boom';
import type { Config } from '../config/index.ts';

/** An open log. */
export interface Log {
  readonly logger: Logger;
  /** The number of lines dropped because nobody read them in time, or because they could not be written. */
  readonly droppedLines?: () => number;
}

/**
 * Opens the log on standard output: JSON lines, or readable text on a terminal. The process never waits for a slow reader: up to
 * {@link BUFFER_BYTES} are buffered, and further lines are dropped and counted. At exit the reader has {@link EXIT_FLUSH_MS} to
 * read the rest.
 *
 * The destination is a newer version of the class behind `pino.destination`. While nobody reads, the version of pino 10 never exits,
 * and `pino.transport` keeps all lines in memory (430 MiB after 405,000) and exits after 10 s, with an error.
 */
export async function openLog({ LOG_LEVEL }: Pick<Config, 'LOG_LEVEL'>): Promise<Log> {
  const isTerminal = isatty(1);
  const format = isTerminal ? (await import('./terminal-line.ts')).terminalLine : String;
  let exitsAt = 0;
  const destination = new sonicBoom.SonicBoom({
    fd: isTerminal ? openTerminal() : process.stdout.fd,
    sync: false,
    // A text buffer would be measured for each line, which costs 10 % of the CPU of a request.
    contentMode: 'buffer',
    minLength: 16_000,
    periodicFlush: FLUSH_MS,
    maxLength: BUFFER_BYTES,
    // Before exit, unread data is written with the next lines, because a retry timer would keep the process alive.
    retryEAGAIN: () => performance.now() < exitsAt,
  });
  // @ts-expect-error: the types of sonic-boom only allow text.
  const write = (line: string) => void destination.write(Buffer.from(format(line)));
  const logger = pino({ level: LOG_LEVEL, serializers: { err: loggedError } }, { write });

  let dropped = 0;
  let reported = 0;
  let reason = NOT_READ;
  destination.on('drop', () => {
    dropped += 1;
  });
  // Data that could not be written stays in the buffer.
  destination.on('error', (error: Error) => {
    reason = writeErrorReason(error);
  });
  destination.on('drain', reportDropped);
  process.once('exit', () => {
    exitsAt = performance.now() + EXIT_FLUSH_MS;
    try {
      destination.flushSync();
      reportDropped();
      destination.flushSync();
    } catch (error) {
      // A terminal that shows no log lines would not show this either, and writing would block.
      if (!isTerminal)
        process.stderr.write(`plant-store: the last log lines are lost, because ${writeErrorReason(error as Error)}\n`);
    }
  });
  return { logger, droppedLines: () => dropped };

  /** Reports dropped lines once, after the reader has caught up. */
  function reportDropped(): void {
    const lines = dropped - reported;
    reported = dropped;
    if (lines > 0) logger.warn({ lines }, `log lines dropped, because ${reason}`);
    reason = NOT_READ;
  }
}

/** Opens the terminal as non-blocking, unlike Node, because a terminal that is paused (Ctrl-S) would hang the exit. */
function openTerminal(): number {
  try {
    return openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // The system is not Linux, or the terminal belongs to another user.
    return 1;
  }
}

function writeErrorReason({ code, message }: NodeJS.ErrnoException): string {
  return code === 'EAGAIN' ? NOT_READ : `the log could not be written (${code ?? message})`;
}

const NOT_READ = 'the log was not read in time';

/** 100 ms: too short for a person to notice, and long enough to combine the lines of several requests in a write. */
const FLUSH_MS = 100;

/** 4 MiB: the lines of 18,000 requests, or nine seconds at 2,000 per second: longer than a log collector takes to restart. */
const BUFFER_BYTES = 4_194_304;

/** 500 ms: enough for several retries, and less than a supervisor's kill timeout. */
const EXIT_FLUSH_MS = 500;

/**
 * The type, code, message and stack of an error and its causes. pino's own serializer adds all other properties, for example
 * PostgreSQL's `detail`, which contains the row, or the parameters of a statement.
 *
 * @param causes the maximum depth of causes, because a chain of causes may be cyclic.
 */
export function loggedError(thrown: unknown, causes = 5): object {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: 'a value that is not an Error was thrown' };
  const { name: type, code, message, stack, cause }: NodeJS.ErrnoException = thrown;
  return {
    type,
    code: typeof code === 'string' ? code : undefined,
    message,
    stack,
    cause: cause === undefined || causes === 0 ? undefined : loggedError(cause, causes - 1),
  };
}
