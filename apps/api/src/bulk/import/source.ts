import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { UsageError } from '@plant-store/command-line';

/** A file to import; its size is undefined for standard input. */
export interface Source {
  readonly stream: Readable;
  readonly size: number | undefined;
}

/**
 * Opens a regular file, or standard input as `-`.
 * @param signal ends reading: standard input may have nothing to read, and a file may have no line for hours.
 * @throws {UsageError} if it cannot be read.
 */
export async function openSource(file: string, stdin: Readable, signal: AbortSignal): Promise<Source> {
  if (file === '-') return { stream: addAbortSignal(signal, stdin), size: undefined };
  // With O_NONBLOCK, opening a pipe does not wait for a writer.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'no such file' : `cannot be read (${error.code})`;
    throw new UsageError(`${file}: ${reason}`, { cause: error });
  });
  const stats = await handle.stat();
  const stream = handle.createReadStream({ highWaterMark: 256 * 1024, signal });
  if (stats.isFile()) return { stream, size: stats.size };
  stream.destroy();
  throw new UsageError(`${file} is not a regular file: pass the path of one, or - for standard input`);
}
