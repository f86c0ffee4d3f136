import { constants, unwatchFile, watchFile } from 'node:fs';
import { open } from 'node:fs/promises';
import { ownershipFault } from './ownership-fault.ts';
import { utf8Text } from './utf8-text.ts';

/** Which file is followed. */
export interface FollowOptions {
  readonly path: string;
  /** Called once when the file becomes unusable; the message says what happens to its contents. */
  readonly onError: (error: FileUnusable) => void;
  /** Milliseconds between two polls, 500 by default: a change takes effect after two, which has to be within 2 s. */
  readonly pollIntervalMs?: number;
}

/** A kind of file. */
export interface FileKind<Contents> {
  /** For messages. */
  readonly name: string;
  readonly maxBytes: number;
  /** Throws an error whose message says what is wrong and never shows the contents. */
  readonly parse: (text: string) => Contents;
  readonly ifDeleted: Contents;
}

/** A file cannot be used. The message says why and what that means, and never shows the contents. */
export class FileUnusable extends Error {
  override readonly name = 'FileUnusable';
}

/**
 * Reads a file, until it is closed, and reads it again when its time, size, mode or inode has changed: it was written to,
 * replaced, or is a symbolic link that was pointed at another file (as Kubernetes does). If it is deleted, its contents are
 * revoked; if it is unusable in any other way, by mistake, the previous contents stay in force. It keeps no process alive.
 *
 * @throws {FileUnusable} if the file cannot be used at the start.
 */
export async function followFile<Contents>(
  { name, maxBytes, parse, ifDeleted }: FileKind<Contents>,
  { path, onError, pollIntervalMs = 500 }: FollowOptions,
): Promise<{ readonly contents: Contents; close(): void }> {
  let contents: Contents = await read().catch((error) => {
    throw unusable(error, 'the service needs it to start');
  });
  let reloading = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let reported: string | undefined;

  async function read(): Promise<Contents> {
    return parse(utf8Text(await readBytes(path, maxBytes)));
  }

  function unusable(error: NodeJS.ErrnoException, consequence: string): FileUnusable {
    const reason = error.code ? `it cannot be read (${error.code})` : error.message;
    return new FileUnusable(`${name} ${path}: ${reason}; ${consequence}`, { cause: error });
  }

  async function reload(): Promise<void> {
    try {
      contents = await read();
      reported = undefined;
    } catch (error) {
      const deleted = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (deleted) contents = ifDeleted;
      const consequence = deleted ? 'it counts as empty until it is back' : 'its former contents stay in use';
      const failure = unusable(error as Error, consequence);
      if (!closed && failure.message !== reported) onError(failure);
      reported = failure.message;
    }
  }

  function onChange(): void {
    clearTimeout(timer);
    // Not before it stays the same for a while: it may be half written, and half a list is a valid one.
    timer = setTimeout(() => (reloading = reloading.then(reload)), pollIntervalMs).unref();
  }

  watchFile(path, { interval: pollIntervalMs, persistent: false, bigint: true }, onChange);
  // It may have changed before it was watched.
  onChange();
  return {
    get contents() {
      return contents;
    },
    close() {
      closed = true;
      clearTimeout(timer);
      unwatchFile(path, onChange);
    },
  };
}

/** Opening a pipe must not wait for a writer, which blocks a thread, and a device may have no end. */
async function readBytes(path: string, maxBytes: number): Promise<Buffer> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  const stats = await file.stat();
  if (!stats.isFile()) throw new Error('it is not a regular file');
  if (stats.size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
  const fault = ownershipFault(stats);
  if (fault) throw new Error(fault);
  return file.readFile();
}
