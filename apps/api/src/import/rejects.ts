import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import { StoppedEarly } from '../stopped-early.ts';
import { WrongUsage } from '../verify/wrong-usage.ts';

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
 * @throws {WrongUsage} when it cannot be removed.
 */
export async function openRejects(path: string, more: boolean): Promise<Rejects> {
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

/** Nothing but a file: a pipe or a device goes on being used. */
async function removeFile(path: string): Promise<void> {
  try {
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isFile()) await rm(path);
  } catch (cause) {
    throw new WrongUsage(`${path} of an earlier import cannot be removed: give another one with --rejects`, { cause });
  }
}
