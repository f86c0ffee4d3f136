import { isatty } from 'node:tty';
import { destination, type Logger, pino } from 'pino';

/** 4 MiB: the lines of 18,000 requests, or nine seconds at 2,000 per second: longer than a log collector takes to restart. */
const BUFFER_BYTES = 4_194_304;

/**
 * Opens the log on standard output: JSON lines, or readable text on a terminal. Requests do not wait for a slow reader: pino drops
 * lines beyond {@link BUFFER_BYTES}.
 */
export async function openLog(level: string): Promise<Logger> {
  const options = { level, serializers: { err: serializeError } };
  if (isatty(1)) {
    const { default: pretty } = await import('pino-pretty');
    return pino(options, pretty({ ignore: 'pid,hostname', singleLine: true, sync: true }));
  }
  // Lines of several requests are combined in a write.
  const lines = destination({ sync: false, minLength: 16_000, periodicFlush: 100, maxLength: BUFFER_BYTES });
  // The reader has gone away. The service runs on without a log.
  lines.on('error', () => {});
  return pino(options, lines);
}

/**
 * The type, code, message and stack of an error and its causes. pino's own serializer adds all other properties, for example
 * PostgreSQL's `detail`, which contains the row, or the parameters of a statement.
 *
 * @param causes the maximum depth of causes, because a chain of causes may be cyclic.
 */
export function serializeError(thrown: unknown, causes = 5): object {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: 'a value that is not an Error was thrown' };
  const { name: type, code, message, stack, cause }: NodeJS.ErrnoException = thrown;
  return {
    type,
    code: typeof code === 'string' ? code : undefined,
    message,
    stack,
    cause: cause === undefined || causes === 0 ? undefined : serializeError(cause, causes - 1),
  };
}
