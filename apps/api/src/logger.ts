import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from './config.ts';

/**
 * The log: JSON lines on standard output; readable ones where that is a terminal. Lines are written together, at the
 * latest after {@link FLUSH_MS}, and those that are left when the process ends: a write a line would cost a request a
 * quarter of its time.
 */
export function createLogger({ logLevel }: Config): Logger {
  const options = { level: logLevel };
  if (process.stdout.isTTY) return pino(options, pretty({ sync: true, ignore: 'pid,hostname' }));
  return pino(options, pino.destination({ minLength: 8_192, periodicFlush: FLUSH_MS }));
}

/** 100 ms: a person who follows the log does not notice. */
const FLUSH_MS = 100;
