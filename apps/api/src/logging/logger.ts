import { type Logger, pino } from 'pino';
import type { Config } from '../config/index.ts';
import { logBuffer } from './log-buffer.ts';
import { loggedError } from './logged-error.ts';

/** The log on standard output: JSON lines, or readable text if that is a terminal. */
export async function createLogger({ logLevel }: Pick<Config, 'logLevel'>): Promise<Logger> {
  const options = { level: logLevel, serializers: { err: loggedError } };
  if (process.stdout.isTTY) {
    const { default: pretty } = await import('pino-pretty');
    return pino(options, pretty({ sync: true, ignore: 'pid,hostname' }));
  }
  // Not pino's own buffer (`minLength`): if nobody reads the log any more, sonic-boom 4.2 retries forever to write what it
  // holds, and the process does not exit.
  return pino(
    options,
    logBuffer(() => pino.destination(1)),
  );
}
