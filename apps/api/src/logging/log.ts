import { constants, openSync } from 'node:fs';
import { isatty } from 'node:tty';
import { type Logger, pino } from 'pino';
import sonicBoom from 'sonic-boom';
import type { Config } from '../config/index.ts';
import { loggedError } from './logged-error.ts';

/** The log of this process. */
export interface Log {
  readonly logger: Logger;
  /** The number of lines that were dropped because nobody read them in time, or they could not be written. */
  readonly droppedLines?: () => number;
}

/**
 * Opens the log on standard output: JSON lines, or readable text if that is a terminal. The process never waits for the log's
 * reader. At most `LOG_BUFFER_BYTES` are kept for it; lines beyond that are dropped and counted. At exit the reader has
 * {@link EXIT_MS} to take the rest.
 *
 * The destination is the class behind `pino.destination`, in a newer version. At exit, the one that pino 10 brings tries forever
 * to write what nobody reads or what a full disk does not take.
 */
export async function openLog({
  LOG_LEVEL,
  LOG_BUFFER_BYTES,
}: Pick<Config, 'LOG_LEVEL' | 'LOG_BUFFER_BYTES'>): Promise<Log> {
  const isTerminal = isatty(1);
  const format = isTerminal ? (await import('./terminal-line.ts')).terminalLine : String;
  let exitsAt = 0;
  const destination = new sonicBoom.SonicBoom({
    fd: isTerminal ? terminal() : process.stdout.fd,
    sync: false,
    // As text, the buffer would be measured anew for each line: 10 % of the CPU of a request.
    contentMode: 'buffer',
    minLength: 16_000,
    periodicFlush: FLUSH_MS,
    maxLength: LOG_BUFFER_BYTES,
    // Until the exit, what the reader does not take is written with the lines after it: a timer would keep the process alive.
    retryEAGAIN: () => performance.now() < exitsAt,
  });
  // @ts-expect-error: its types know text only.
  const write = (line: string) => void destination.write(Buffer.from(format(line)));
  const logger = pino({ level: LOG_LEVEL, serializers: { err: loggedError } }, { write });

  let dropped = 0;
  let reported = 0;
  let reason = NOT_READ;
  destination.on('drop', () => {
    dropped += 1;
  });
  // What could not be written stays in the buffer.
  destination.on('error', (error: Error) => {
    reason = reasonOf(error);
  });
  destination.on('drain', reportDropped);
  process.once('exit', () => {
    exitsAt = performance.now() + EXIT_MS;
    try {
      destination.flushSync();
      reportDropped();
      destination.flushSync();
    } catch (error) {
      // A terminal that shows no lines would not show this either, and it would block.
      if (!isTerminal)
        process.stderr.write(`plant-store: the last log lines are lost, because ${reasonOf(error as Error)}\n`);
    }
  });
  return { logger, droppedLines: () => dropped };

  /** Once, when the reader has caught up. */
  function reportDropped(): void {
    const lines = dropped - reported;
    reported = dropped;
    if (lines > 0) logger.warn({ lines }, `log lines dropped, because ${reason}`);
    reason = NOT_READ;
  }
}

/** Node makes pipes non-blocking, but terminals blocking: one that is paused (Ctrl-S) would hang the exit. */
function terminal(): number {
  try {
    return openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // Not on Linux, or it belongs to another user.
    return 1;
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  return code === 'EAGAIN' ? NOT_READ : `the log could not be written (${code ?? message})`;
}

const NOT_READ = 'the log was not read in time';

/** 100 ms: too short for a person to notice, and a single request does not pay for a write. */
const FLUSH_MS = 100;

/** 500 ms: enough for several tries, and less than a supervisor waits before it kills. */
const EXIT_MS = 500;
