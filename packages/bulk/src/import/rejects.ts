import { once } from 'node:events';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, rm, stat } from 'node:fs/promises';
import { isatty } from 'node:tty';
import { errorMessage, IncompleteError, printable, UsageError } from '@plant-store/command-line';
import { undefinedIfAbsent } from '@plant-store/command-line/files';

/** A line that was rejected, and why. */
export interface Reject {
  readonly line: number;
  readonly reason: string;
}

/** The rejected lines as NDJSON: `{"line":7,"reason":"…"}`. */
export interface Rejects {
  /** Resolves once it is written. */
  write(reject: Reject): Promise<void>;
  /** Removes the file if nothing is in it. Does not throw a failure again that `write` has thrown. */
  close(): Promise<void>;
}

/**
 * Opens the file before the first line is read, and follows no link: what is laid at the path later is never written to. A
 * new file can be read by its owner only.
 *
 * @param append whether to append to the file of an earlier import; otherwise that is replaced.
 * @throws {UsageError} if it cannot be written, or is a file of another kind, which stays unchanged.
 */
export async function openRejects(path: string, append: boolean): Promise<Rejects> {
  const file = await openFile(path, append).catch((cause: unknown) => {
    if (cause instanceof UsageError) throw cause;
    const { code = errorMessage(cause) } = cause as NodeJS.ErrnoException;
    throw new UsageError(`cannot write ${path} (${code}): pass another file with --rejects`, { cause });
  });
  const before = await file.stat();
  const isTerminal = isatty(file.fd);
  // Failures are thrown by `write` and `close`.
  const stream = file.createWriteStream().on('error', () => {});
  let isReported = false;

  function failed(cause: Error): IncompleteError {
    isReported = true;
    return new IncompleteError(`cannot write ${path} (${cause.message}): pass another file with --rejects`, { cause });
  }

  return {
    write({ line, reason }) {
      const json = JSON.stringify({ line, reason });
      // It stays the same JSON.
      const text = `${isTerminal ? printable(json) : json}\n`;
      return new Promise((resolve, reject) => {
        stream.write(text, (error) => (error ? reject(failed(error)) : resolve()));
      });
    },
    async close() {
      if (isReported) return;
      stream.end();
      await once(stream, 'close').catch((error: Error) => {
        throw failed(error);
      });
      if (before.isFile() && before.size + stream.bytesWritten === 0) await removeSame(path, before);
    },
  };
}

async function openFile(path: string, append: boolean): Promise<FileHandle> {
  // /dev/stderr, and the /dev/fd/63 of a shell's >(…), are links of the system's own.
  const isDevice = /^\/dev\/(?:std(?:in|out|err)|fd\/\d+|null|full|tty)$/.test(path);
  const noFollow = isDevice ? 0 : constants.O_NOFOLLOW;
  const stats = await (isDevice ? stat(path) : lstat(path)).catch(undefinedIfAbsent);
  if (!stats) return created(path);
  if (stats.isSymbolicLink())
    throw new UsageError(`${path} is a symbolic link: pass the path of the file with --rejects`);
  // A device's path is never removed: it may lead to a regular file, as after 2>errors.ndjson.
  if (isDevice || !stats.isFile()) {
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_NOCTTY | noFollow;
    // Fails where no process reads a pipe; opening it without this flag would wait for one.
    await using _probe = await open(path, flags | constants.O_NONBLOCK);
    return await open(path, flags);
  }
  const earlier = await open(path, constants.O_RDWR | constants.O_APPEND | noFollow);
  try {
    if (!FIRST_REJECT.test(await startOf(earlier)))
      throw new UsageError(`${path} is not a rejects file: pass another file with --rejects`);
  } catch (error) {
    await earlier.close();
    throw error;
  }
  if (append) return earlier;
  await earlier.close();
  await rm(path);
  return created(path);
}

function created(path: string): Promise<FileHandle> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_APPEND } = constants;
  return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_APPEND, 0o600);
}

/** How each line that `write` writes begins; or nothing at all. */
const FIRST_REJECT = /^(?:$|\{"line":\d+,"reason":")/;

async function startOf(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
  return buffer.toString('latin1', 0, bytesRead);
}

async function removeSame(path: string, { dev, ino }: Stats): Promise<void> {
  const now = await lstat(path).catch(undefinedIfAbsent);
  if (now?.dev === dev && now.ino === ino) await rm(path);
}
