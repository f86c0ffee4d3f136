import { constants, type Stats, unwatchFile, watchFile } from 'node:fs';
import { open } from 'node:fs/promises';

/** The options of {@link followFile}. */
export interface FollowOptions {
  readonly path: string;
  /** Called when the file becomes unusable. The message has the reason and the consequence, but not the contents. */
  readonly onError: (error: Error) => void;
  /** Milliseconds between polls, 500 by default. A change takes effect after two polls, which must be within 2 s. */
  readonly pollIntervalMs?: number;
}

/** 1 MiB: some 14,000 digests, which is more than can be compared with every token in time. */
const MAX_FILE_BYTES = 1_048_576;

/**
 * Reads a file, and reads it again whenever its time, size, mode or inode changes: it was written, replaced, or is a symbolic
 * link with a new target (as in Kubernetes). If it becomes unusable, the previous contents stay in force. Polling does not keep
 * the process alive.
 *
 * @param parse throws an error whose message says what is wrong and does not contain the contents.
 * @param emptyContents the contents after the file is deleted or emptied, because that revokes them.
 * @param isEmpty whether an error of `parse` means that the file is empty.
 * @throws {Error} with such a message if the file is unusable at startup.
 */
export async function followFile<Contents>(
  { path, onError, pollIntervalMs = 500 }: FollowOptions,
  parse: (text: string) => Contents,
  emptyContents: Contents,
  isEmpty: (error: unknown) => boolean = () => false,
): Promise<{ readonly current: Contents; close(): void }> {
  const read = async () => parse(utf8Text(await readBytes(path)));
  let current: Contents = await read().catch((error) => {
    throw fileError(error, 'the service needs it to start');
  });
  let pendingReload = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  async function reload(): Promise<void> {
    try {
      current = await read();
    } catch (error) {
      const isRevoked = (error as NodeJS.ErrnoException).code === 'ENOENT' || isEmpty(error);
      if (isRevoked) current = emptyContents;
      onError(fileError(error, isRevoked ? 'all its entries are revoked' : 'its former contents stay in use'));
    }
  }

  function fileError(error: unknown, consequence: string): Error {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code ? `it cannot be read (${code})` : message;
    return new Error(`${path}: ${reason}; ${consequence}`, { cause: error });
  }

  function onChange(): void {
    clearTimeout(timer);
    // Waits until the file stops changing. It may be half written, and half a list is valid.
    timer = setTimeout(() => (pendingReload = pendingReload.then(reload)), pollIntervalMs).unref();
  }

  watchFile(path, { interval: pollIntervalMs, persistent: false, bigint: true }, onChange);
  // The file may have changed between reading and watching.
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

/** Opens without blocking, because opening a pipe would wait for a writer. Devices are refused, because they may never end. */
async function readBytes(path: string): Promise<Buffer> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  const stats = await file.stat();
  if (!stats.isFile()) throw new Error('it is not a regular file');
  if (stats.size > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES} bytes`);
  const fault = ownershipFault(stats);
  if (fault) throw new Error(fault);
  return file.readFile();
}

/**
 * The reason why other users could change a file or directory, if any. As with ssh, it must belong to this user or to root, and
 * must not be writable by others. Systems without such users (Windows) are not checked.
 */
export function ownershipFault({ uid, mode }: Pick<Stats, 'uid' | 'mode'>): string | undefined {
  const own = process.geteuid?.();
  if (own === undefined) return undefined;
  if (uid !== own && uid !== 0)
    return `it belongs to another user (uid ${uid}), who could change it: give it to root or to uid ${own} (chown)`;
  const shown = (mode & 0o777).toString(8).padStart(4, '0');
  return mode & 0o022 ? `other users may write to it (mode ${shown}): prevent that (chmod go-w)` : undefined;
}

/**
 * Decodes UTF-8, and removes a byte order mark.
 * @throws {Error} if the bytes are UTF-16, as some programs of Windows save text.
 */
export function utf8Text(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (hasMark || first === 0 || second === 0) throw new Error('it is encoded in UTF-16: save it as UTF-8');
  return new TextDecoder().decode(bytes);
}
