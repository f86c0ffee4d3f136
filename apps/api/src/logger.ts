import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from './config.ts';

/** The log: JSON lines on standard output; readable ones where that is a terminal. */
export function createLogger({ logLevel }: Config): Logger {
  const options = { level: logLevel, redact: ['req.headers.authorization', 'headers.authorization'] };
  return process.stdout.isTTY ? pino(options, pretty({ sync: true, ignore: 'pid,hostname' })) : pino(options);
}
