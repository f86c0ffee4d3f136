import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { UsageError } from '@plant-store/command-line';

/** The file to import. */
export interface Source extends AsyncDisposable {
  readonly chunks: AsyncIterable<Buffer>;
  /** In bytes; undefined for a pipe. */
  readonly size: number | undefined;
}

/**
 * Opens the file; `-` is standard input. An interruption ends reading: a pipe may have nothing to read, and a file may have
 * no line for hours.
 * @throws {UsageError} if it cannot be read.
 */
export async function openSource(file: string, stdin: Readable, interruption: AbortSignal): Promise<Source> {
  if (file === '-')
    return {
      chunks: addAbortSignal(interruption, stdin),
      size: undefined,
      [Symbol.asyncDispose]: async () => {},
    };
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'no such file' : `cannot be read (${error.code})`;
    throw new UsageError(`${file}: ${reason}`, { cause: error });
  });
  const stat = await handle.stat();
  if (stat.isDirectory()) {
    await handle.close();
    throw new UsageError(`${file} is a directory: pass the path of a file`);
  }
  return {
    chunks: createReadStream(file, { fd: handle, autoClose: false, highWaterMark: 256 * 1024, signal: interruption }),
    size: stat.isFile() && stat.size > 0 ? stat.size : undefined,
    [Symbol.asyncDispose]: () => handle.close(),
  };
}
