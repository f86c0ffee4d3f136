import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from '../config/config.ts';
import { linesTogether } from './log-buffer.ts';
import { loggedError } from './logged-error.ts';

/** The log: JSON lines on standard output; readable ones where that is a terminal. */
export function createLogger({ logLevel }: Config): Logger {
  const options = { level: logLevel, serializers: { err: loggedError } };
  if (process.stdout.isTTY) return pino(options, pretty({ sync: true, ignore: 'pid,hostname' }));
  // Not pino's own buffer (`minLength`): it keeps the process from ending when nobody reads the log any more, since
  // sonic-boom 4.2 then tries for ever to write what it holds.
  return pino(
    options,
    linesTogether(() => pino.destination(1)),
  );
}
