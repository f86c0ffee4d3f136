import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config/index.ts';
import { fitLine } from './fit-line.ts';
import { logBuffer, PIPE_BUF } from './log-buffer.ts';
import { loggedError } from './logged-error.ts';
import { nonBlocking } from './non-blocking.ts';

/** The log of this process. */
export interface Log {
  readonly logger: Logger;
  /** The number of lines that were dropped because nobody read them in time, or they could not be written. */
  readonly droppedLines?: () => number;
}

/**
 * Opens the log on standard output: JSON lines, or readable text if that is a terminal. The process never waits for its
 * reader: at most `logBufferBytes` are kept for it, and lines beyond that are dropped and counted. No JSON line is longer
 * than what a pipe takes as a whole.
 */
export async function openLog({ logLevel, logBufferBytes }: Pick<Config, 'logLevel' | 'logBufferBytes'>): Promise<Log> {
  const format = isatty(1) ? (await import('./terminal-line.ts')).terminalLine : fitting;
  const buffer = logBuffer(logBufferBytes, {
    fd: nonBlocking(1),
    onDropped: (lines, code) => logger.warn({ lines }, dropped(code)),
    onDroppedAtExit: (lines, code) => complain(`${dropped(code)} (${lines})`),
  });
  const logger = pino(
    { level: logLevel, serializers: { err: loggedError } },
    leveledStream((line, level) => buffer.write(format(line), level >= WARN)),
  );
  return {
    logger,
    droppedLines: buffer.droppedLines,
  };
}

function fitting(line: string): string {
  return Buffer.byteLength(line) > PIPE_BUF ? fitLine(line, PIPE_BUF) : line;
}

/** A stream that pino tells the level of each line. */
function leveledStream(write: (line: string, level: number) => void): DestinationStream {
  const stream = {
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write: (line: string) => write(line, stream.lastLevel),
  };
  return stream;
}

function dropped(code: string | undefined): string {
  const reason = code ? `could not be written (${code})` : 'was not read in time';
  return `log lines dropped, because the log ${reason}`;
}

/** pino's level of warnings. */
const WARN = 40;

/** On standard error, at exit: whether or not anybody reads that either. */
function complain(message: string): void {
  try {
    writeSync(nonBlocking(2), `plant-store: ${message}\n`);
  } catch {
    // Nobody does.
  }
}
