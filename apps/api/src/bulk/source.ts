import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { UsageError } from '../errors.ts';

/**
 * Opens a regular file, or standard input for `-`.
 * @param signal aborts reading, because standard input may block and a line may take hours.
 * @throws {UsageError} if the file cannot be read.
 */
export async function openSource(file: string, stdin: Readable, signal: AbortSignal): Promise<Readable> {
  if (file === '-') return addAbortSignal(signal, stdin);
  const stats = await stat(file).catch(() => undefined);
  if (stats && !stats.isFile())
    throw new UsageError(`${file} is not a regular file: pass the path of one, or - for standard input`);
  const stream = createReadStream(file, { highWaterMark: 256 * 1024, signal });
  await once(stream, 'open').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'no such file' : `cannot be read (${error.code})`;
    throw new UsageError(`${file}: ${reason}`, { cause: error });
  });
  return stream;
}
