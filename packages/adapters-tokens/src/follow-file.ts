import { constants, unwatchFile, watchFile } from 'node:fs';
import { open } from 'node:fs/promises';
import { ownershipFault } from './ownership-fault.ts';
import { utf8Text } from './utf8-text.ts';

/** Which file is followed. */
export interface FollowOptions {
  readonly path: string;
  /** Called when the file becomes unusable; the message says why and what that means, and never shows the contents. */
  readonly onError: (error: Error) => void;
  /** Milliseconds between two polls, 500 by default: a change takes effect after two, which has to be within 2 s. */
  readonly pollIntervalMs?: number;
}

/** 1 MiB: some 14,000 digests, many times what comparing each with every token allows. */
const MAX_FILE_BYTES = 1_048_576;

/**
 * Reads a file, until it is closed, and reads it again when its time, size, mode or inode has changed: it was written to,
 * replaced, or is a symbolic link that was pointed at another file (as Kubernetes does). If it is unusable by mistake, the
 * previous contents stay in force. It keeps no process alive.
 *
 * @param parse throws an error whose message says what is wrong and never shows the contents.
 * @param ifDeleted the contents of a deleted file: whoever deletes it revokes them.
 * @throws {Error} with such a message if the file cannot be used at the start.
 */
export async function followFile<Contents>(
  { path, onError, pollIntervalMs = 500 }: FollowOptions,
  parse: (text: string) => Contents,
  ifDeleted: Contents,
): Promise<{ readonly current: Contents; close(): void }> {
  const read = async () => parse(utf8Text(await readBytes(path)));
  let current: Contents = await read().catch((error) => {
    throw unusable(error, 'the service needs it to start');
  });
  let reading = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  async function readAgain(): Promise<void> {
    try {
      current = await read();
    } catch (error) {
      const deleted = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (deleted) current = ifDeleted;
      onError(unusable(error, deleted ? 'it counts as empty until it is back' : 'its former contents stay in use'));
    }
  }

  function unusable(error: unknown, consequence: string): Error {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code ? `it cannot be read (${code})` : message;
    return new Error(`${path}: ${reason}; ${consequence}`, { cause: error });
  }

  function onChange(): void {
    clearTimeout(timer);
    // Not before it stays the same for a while: it may be half written, and half a list is a valid one.
    timer = setTimeout(() => (reading = reading.then(readAgain)), pollIntervalMs).unref();
  }

  watchFile(path, { interval: pollIntervalMs, persistent: false, bigint: true }, onChange);
  // It may have changed before it was watched.
  onChange();
  return {
    get current() {
      return current;
    },
    close() {
      clearTimeout(timer);
      unwatchFile(path, onChange);
    },
  };
}

/** Opening a pipe must not wait for a writer, which blocks a thread, and a device may have no end. */
async function readBytes(path: string): Promise<Buffer> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  const stats = await file.stat();
  if (!stats.isFile()) throw new Error('it is not a regular file');
  if (stats.size > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES} bytes`);
  const fault = ownershipFault(stats);
  if (fault) throw new Error(fault);
  return file.readFile();
}
