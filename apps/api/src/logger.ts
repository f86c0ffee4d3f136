import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from './config.ts';

/**
 * The log: JSON lines on standard output; readable ones where that is a terminal. Each line is written at once: lines
 * that wait to be written together keep the process from ending when nobody reads them any more (sonic-boom 4.2 tries
 * again for ever).
 */
export function createLogger({ logLevel }: Config): Logger {
  const options = { level: logLevel };
  return process.stdout.isTTY ? pino(options, pretty({ sync: true, ignore: 'pid,hostname' })) : pino(options);
}
