import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { lstat, open, rm, stat } from 'node:fs/promises';
import { IncompleteError, UsageError } from '../../errors.ts';

/** A line that was rejected, and why. */
export interface Reject {
  readonly line: number;
  readonly reason: string;
}

/** The rejected lines as NDJSON: `{"line":7,"reason":"…"}`. */
export interface Rejects {
  /** Resolves once it is written. */
  write(reject: Reject): Promise<void>;
  /** Does not throw a failure again that `write` has thrown. */
  close(): Promise<void>;
}

/**
 * Creates the file when the first line is rejected.
 *
 * @param append whether to append to the file of an earlier import; otherwise that is removed.
 * @throws {UsageError} if it cannot be removed, or is a file of another kind, which stays unchanged.
 */
export async function openRejects(path: string, append: boolean): Promise<Rejects> {
  await assertRejects(path);
  if (!append) await removeFile(path);
  let stream: WriteStream | undefined;
  let isReported = false;

  function failed(cause: Error): IncompleteError {
    isReported = true;
    return new IncompleteError(`cannot write ${path} (${cause.message}): pass another file with --rejects`, { cause });
  }

  function opened(): WriteStream {
    // Failures are thrown by `write` and `close`.
    return createWriteStream(path, { flags: append ? 'a' : 'w' }).on('error', () => {});
  }

  return {
    write({ line, reason }) {
      stream ??= opened();
      const text = `${JSON.stringify({ line, reason })}\n`;
      return new Promise((resolve, reject) => {
        stream?.write(text, (error) => (error ? reject(failed(error)) : resolve()));
      });
    },
    async close() {
      if (!stream || isReported) return;
      stream.end();
      await once(stream, 'close').catch((error: Error) => {
        throw failed(error);
      });
    },
  };
}

/** Follows a link, as writing does. */
async function assertRejects(path: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isFile() || stats.size === 0) return;
  if (!FIRST_REJECT.test(await startOf(path)))
    throw new UsageError(`${path} is not a rejects file: pass another file with --rejects`);
}

/** How each line that `write` writes begins. */
const FIRST_REJECT = /^\{"line":\d+,"reason":"/;

async function startOf(path: string): Promise<string> {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64));
    return buffer.toString('latin1', 0, bytesRead);
  } catch (cause) {
    throw new UsageError(`cannot read ${path}: pass another file with --rejects`, { cause });
  }
}

/** Removes only a regular file, not a pipe or a device. */
async function removeFile(path: string): Promise<void> {
  try {
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isFile()) await rm(path);
  } catch (cause) {
    throw new UsageError(`cannot remove ${path} of an earlier import: pass another file with --rejects`, { cause });
  }
}
