import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { lstat, open, rm, stat } from 'node:fs/promises';
import { StoppedEarly } from '../../incomplete-error.ts';
import { WrongUsage } from '../../usage-error.ts';

/** A line that was not stored, and why. */
export interface Reject {
  readonly line: number;
  readonly reason: string;
}

/** The lines that were not stored, as NDJSON: `{"line":7,"reason":"…"}`. */
export interface Rejects {
  /** Resolves when it is written. */
  write(reject: Reject): Promise<void>;
  /** Says nothing more of a failure that `write` has reported. */
  close(): Promise<void>;
}

/**
 * Opens the file with the first line that goes there.
 *
 * @param more whether what is there already is kept; otherwise a file of an earlier import is removed.
 * @throws {WrongUsage} when it cannot be removed, or is a file of another kind, which is left as it is.
 */
export async function openRejects(path: string, more: boolean): Promise<Rejects> {
  await assertRejects(path);
  if (!more) await removeFile(path);
  let stream: WriteStream | undefined;
  let isReported = false;

  function failed(cause: Error): StoppedEarly {
    isReported = true;
    return new StoppedEarly(`${path} cannot be written (${cause.message}): give another one with --rejects`, { cause });
  }

  function opened(): WriteStream {
    // Each failure reaches the one who writes or closes.
    return createWriteStream(path, { flags: more ? 'a' : 'w' }).on('error', () => {});
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

/** A link is followed, as it is when it is written. */
async function assertRejects(path: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isFile() || stats.size === 0) return;
  if (!FIRST_REJECT.test(await startOf(path)))
    throw new WrongUsage(`${path} is not the rejects of an import: give another file with --rejects`);
}

/** What `write` begins with, apart from the number. */
const FIRST_REJECT = /^\{"line":\d+,"reason":"/;

async function startOf(path: string): Promise<string> {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64));
    return buffer.toString('latin1', 0, bytesRead);
  } catch (cause) {
    throw new WrongUsage(`${path} cannot be read: give another file with --rejects`, { cause });
  }
}

/** Nothing but a file: a pipe or a device goes on being used. */
async function removeFile(path: string): Promise<void> {
  try {
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isFile()) await rm(path);
  } catch (cause) {
    throw new WrongUsage(`${path} of an earlier import cannot be removed: give another one with --rejects`, { cause });
  }
}
