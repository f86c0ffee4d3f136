import { readFile } from 'node:fs/promises';
import { sha256 } from './digest/token-digest.ts';

/** How a file is followed, and what is made of it. */
export interface FollowFileOptions<Contents> {
  readonly path: string;

  /** What the file is, for messages: `token file`. */
  readonly what: string;

  /** What is in the file, with a message that says what happens to it: while the file is unusable, and once deleted. */
  readonly onceUnusable: string;
  readonly onceDeleted: string;

  /** Reads the file's text. Throws an error whose message says what is wrong and never shows what is in the file. */
  readonly parse: (text: string) => Contents;

  /** What holds while the file is deleted. */
  readonly ifDeleted: Contents;

  /** Called when the file cannot be used, once for each new reason; the message says what happens to its contents. */
  readonly onError: (error: FileUnusable) => void;

  /** The time, in milliseconds, between two looks at the file; from 1 to 900, 500 by default. */
  readonly pollIntervalMs?: number;
}

/** What a file holds, until it is closed. It does not keep the process alive. */
export interface FollowedFile<Contents> {
  /** The same object for as long as the file holds the same. */
  readonly contents: Contents;
  close(): void;
}

/** A file cannot be used. The message says why and what that means, and never shows what is in the file. */
export class FileUnusable extends Error {
  override readonly name = 'FileUnusable';
}

/**
 * Reads a file, and reads it again when it changes, however it is changed: written to, replaced by a rename, behind a
 * symbolic link that is turned to another file (as Kubernetes does). A change takes effect within 2 s.
 *
 * A file that cannot be used at one look is being saved, and nothing happens. At two looks in a row it is
 * - malformed or unreadable by mistake: what it held stays in force;
 * - deleted, which is an order: what it held is no longer in force until it is back. Taking that for a mistake would
 *   keep alive what was revoked, in silence; taking a mistake for an order is noticed by everybody at once, and mended
 *   by putting the file back.
 *
 * @throws {FileUnusable} when the file cannot be used to begin with.
 * @throws {RangeError} when `pollIntervalMs` is out of its range.
 */
export async function followFile<Contents>(options: FollowFileOptions<Contents>): Promise<FollowedFile<Contents>> {
  const { path, what, onceUnusable, onceDeleted, parse, ifDeleted, onError, pollIntervalMs = 500 } = options;
  if (!(pollIntervalMs >= 1 && pollIntervalMs <= 900))
    throw new RangeError(`pollIntervalMs is ${pollIntervalMs}; give 1 to 900 ms`);

  let current = await read(path, parse).catch((error: unknown) => {
    throw unusable(error, 'the service needs it to start');
  });
  let lastFailure: FileUnusable | undefined;
  let reported: string | undefined;
  let closed = false;
  let timer = schedule();

  function schedule(): NodeJS.Timeout {
    return setTimeout(look, pollIntervalMs).unref();
  }

  async function look(): Promise<void> {
    let failure: FileUnusable | undefined;
    try {
      current = await read(path, parse, current);
      reported = undefined;
    } catch (error) {
      failure = unusable(error, isMissing(error) ? onceDeleted : onceUnusable);
      // The same twice in a row: nobody is just saving the file.
      if (failure.message === lastFailure?.message) persists(failure);
    }
    lastFailure = failure;
    if (!closed) timer = schedule();
  }

  function persists(failure: FileUnusable): void {
    if (isMissing(failure.cause)) current = { whole: nothing, contents: ifDeleted };
    if (!closed && failure.message !== reported) onError(failure);
    reported = failure.message;
  }

  function unusable(cause: unknown, consequence: string): FileUnusable {
    const code = codeOf(cause);
    const reason = code ? `it cannot be read (${code})` : messageOf(cause);
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

/** What was read, with the digest of the whole file: the text itself, which may hold secrets, is not kept. */
interface Reading<Contents> {
  readonly whole: Buffer;
  readonly contents: Contents;
}

const nothing = Buffer.alloc(0);

/** Compares what the file holds, not when it was changed: clocks are too coarse for two changes in a row. */
async function read<Contents>(
  path: string,
  parse: (text: string) => Contents,
  before?: Reading<Contents>,
): Promise<Reading<Contents>> {
  const bytes = await readFile(path);
  const whole = sha256(bytes);
  return before && whole.equals(before.whole) ? before : { whole, contents: parse(bytes.toString()) };
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
