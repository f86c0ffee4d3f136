import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256 } from './digest/token-digest.ts';

/** A file that is followed. */
export interface FollowOptions {
  readonly path: string;

  /** Called when the file cannot be used, once for each new reason; the message says what happens to its contents. */
  readonly onError: (error: FileUnusable) => void;

  /**
   * The time, in milliseconds, between two polls of the file; from 1 to 900, 500 by default. A change has to take effect
   * within 2 s, and it takes two polls to know that the file was deleted.
   */
  readonly pollIntervalMs?: number;
}

/** How to follow and parse a file. */
export interface WatchFileOptions<Contents> extends FollowOptions {
  /** What the file is, for messages: `token file`. */
  readonly what: string;

  /** What happens to the contents, for messages: while the file is unusable, and once it is deleted. */
  readonly onceUnusable: string;
  readonly onceDeleted: string;

  /** The largest file that is read. */
  readonly maxBytes: number;

  /** Reads the file's text. Throws an error whose message says what is wrong and never shows the contents. */
  readonly parse: (text: string) => Contents;

  /** The contents while the file is deleted. */
  readonly ifDeleted: Contents;
}

/** The contents of a file, until it is closed. It does not keep the process alive. */
export interface FollowedFile<Contents> {
  /** The same object as long as the file is the same. */
  readonly contents: Contents;
  close(): void;
}

/** A file cannot be used. The message says why and what that means, and never shows the contents. */
export class FileUnusable extends Error {
  override readonly name = 'FileUnusable';
}

/** How long a read of the file may take, at a poll and at the start, which waits for a slow disk rather than fails. */
const POLL_TIMEOUT_MS = 2_000;
const START_TIMEOUT_MS = 10_000;

/**
 * Reads a file, and reads it again when it changes, however it is changed: written to, replaced by a rename, or through a
 * symbolic link that is pointed at another file (as Kubernetes does). A change takes effect within 2 s.
 *
 * A file that is unusable at one poll is being saved, and nothing happens. At two polls in a row it is
 * - malformed, unreadable, too large or no regular file, by mistake: the previous contents stay in force. So they do if a
 *   read takes longer than 2 s, as on a network file system that is unreachable; the next poll waits for the same read;
 * - deleted, on purpose: its contents are not in force until it is back. To treat a deletion as a mistake would silently
 *   keep in force what was revoked; to treat a mistake as a deletion is noticed at once, and fixed by restoring the
 *   file.
 *
 * @throws {FileUnusable} if the file cannot be used at the start.
 * @throws {RangeError} if `pollIntervalMs` is out of range.
 */
export async function watchFile<Contents>(options: WatchFileOptions<Contents>): Promise<FollowedFile<Contents>> {
  const { path, what, onceUnusable, onceDeleted, ifDeleted, onError, pollIntervalMs = 500 } = options;
  if (!(pollIntervalMs >= 1 && pollIntervalMs <= 900))
    throw new RangeError(`pollIntervalMs is ${pollIntervalMs}; give 1 to 900 ms`);

  let reading: Promise<Reading<Contents>> | undefined;
  let current = await readWithin(START_TIMEOUT_MS).catch((error: unknown) => {
    throw unusable(error, 'the service needs it to start');
  });
  let lastFailure: FileUnusable | undefined;
  let reported: string | undefined;
  let closed = false;
  let timer = schedule();

  function schedule(): NodeJS.Timeout {
    return setTimeout(poll, pollIntervalMs).unref();
  }

  async function poll(): Promise<void> {
    let failure: FileUnusable | undefined;
    try {
      current = await readWithin(POLL_TIMEOUT_MS, current);
      reported = undefined;
    } catch (error) {
      failure = unusable(error, isMissing(error) ? onceDeleted : onceUnusable);
      // The same twice in a row: the file is not just being saved.
      if (failure.message === lastFailure?.message) reportLasting(failure);
    }
    lastFailure = failure;
    if (!closed) timer = schedule();
  }

  /** A read that hangs blocks a thread, so there is one at most. */
  async function readWithin(ms: number, before?: Reading<Contents>): Promise<Reading<Contents>> {
    reading ??= read(options, before).finally(() => {
      reading = undefined;
    });
    const late = new AbortController();
    const timeout = sleep(ms, undefined, { ref: false, signal: late.signal }).then(() => {
      throw new Error(`it cannot be read within ${ms / 1_000} s`);
    });
    return Promise.race([reading, timeout]).finally(() => late.abort());
  }

  function reportLasting(failure: FileUnusable): void {
    if (isMissing(failure.cause)) current = { digest: noDigest, contents: ifDeleted };
    if (!closed && failure.message !== reported) onError(failure);
    reported = failure.message;
  }

  function unusable(cause: unknown, consequence: string): FileUnusable {
    const code = codeOf(cause);
    const reason = code ? `it cannot be read (${code})` : errorMessage(cause);
    return new FileUnusable(`${what} ${path}: ${reason}; ${consequence}`, { cause });
  }

  return {
    get contents() {
      return current.contents;
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** What was read, with the digest of the whole file: the text itself, which may contain secrets, is not retained. */
interface Reading<Contents> {
  readonly digest: Buffer;
  readonly contents: Contents;
}

const noDigest = Buffer.alloc(0);

/** Compares contents, not modification times: clocks are too coarse for two changes in a row. */
async function read<Contents>(
  { path, maxBytes, parse }: WatchFileOptions<Contents>,
  before?: Reading<Contents>,
): Promise<Reading<Contents>> {
  const bytes = await readRegular(path, maxBytes);
  const digest = sha256(bytes);
  return before && digest.equals(before.digest) ? before : { digest, contents: parse(bytes.toString()) };
}

/** Opening a pipe must not wait for a writer, which blocks a thread, and a device may have no end. */
async function readRegular(path: string, maxBytes: number): Promise<Buffer> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  if (!(await file.stat()).isFile()) throw new Error('it is not a regular file');
  // `end` is included, so this is one byte more.
  const bytes = Buffer.concat(await file.createReadStream({ end: maxBytes, autoClose: false }).toArray());
  if (bytes.length > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
  return bytes;
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
