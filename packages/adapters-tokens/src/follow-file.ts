import { unwatchFile, watchFile } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';

/** The options of {@link followFile}. */
export interface FollowOptions {
  readonly path: string;
  /** Called when the file becomes unusable. The message has the reason and the consequence, but not the contents. */
  readonly onError: (error: Error) => void;
  /** Milliseconds between polls, 500 by default: a change takes effect within 2 s also on a busy machine. */
  readonly pollIntervalMs?: number;
}

/** Takes a fault of a part of a file. */
export type Report = (error: Error) => void;

/** The report at startup, which throws the fault. */
export function fail(error: Error): never {
  throw error;
}

/** A file that is followed until it is closed. It does not keep the process alive. */
export interface FollowedFile<Contents> {
  readonly current: Contents;
  close(): void;
}

/**
 * Reads a file, and reads it again after it changes, also if it is a link with a new target (as in Kubernetes). If it becomes
 * unusable, the previous contents stay in force. If it is deleted, they are those of an empty file.
 *
 * @param parse throws or reports an error whose message says what is wrong and does not contain the contents. Faults of a part are
 *   reported: at startup that throws; later the rest takes effect, because it may lack what is revoked.
 * @throws {Error} with such a message if the file is unusable at startup.
 */
export async function followFile<Contents>(
  { path, onError, pollIntervalMs = 500 }: FollowOptions,
  parse: (text: string, report: Report) => Contents,
  empty: Contents,
): Promise<FollowedFile<Contents>> {
  const followed = { current: empty, close: () => unwatchFile(path, onChange) };
  const load = async (report: Report) => {
    followed.current = parse(await readText(path), report);
  };
  // Before the first read, so that no change is missed. One read follows the other, so that the last one sees the last change.
  watchFile(path, { interval: pollIntervalMs, persistent: false }, onChange);
  let loading = load(fail);
  try {
    await loading;
    return followed;
  } catch (error) {
    followed.close();
    throw describeFailure(error as Error, 'the service needs it to start');
  }

  function onChange(): void {
    const report: Report = (error) => onError(describeFailure(error, 'the rest of it is in use'));
    loading = loading
      .then(() => load(report))
      .catch((error: NodeJS.ErrnoException) => {
        const isDeleted = error.code === 'ENOENT';
        if (isDeleted) followed.current = empty;
        onError(describeFailure(error, isDeleted ? 'all its entries are revoked' : 'its former contents stay in use'));
      });
  }

  function describeFailure({ code, message }: NodeJS.ErrnoException, consequence: string): Error {
    return new Error(`${path}: ${code ? `it cannot be read (${code})` : message}; ${consequence}`);
  }
}

async function readText(path: string): Promise<string> {
  if (!(await stat(path)).isFile()) throw new Error('it is not a regular file');
  // The decoder removes a byte order mark.
  return new TextDecoder().decode(await readFile(path));
}
