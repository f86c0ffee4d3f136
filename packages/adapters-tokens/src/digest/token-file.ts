import { readFile } from 'node:fs/promises';
import type { TokenSource } from './digest-verifier.ts';
import { parseTokenLines } from './parse-token-entry.ts';
import { InvalidTokenEntry, sha256, type TokenDigest } from './token-digest.ts';

/** A file of tokens that is followed. */
export interface TokenFileOptions {
  /** One entry a line, see `parseTokenEntry`; blank lines and lines that begin with `#` do not count. */
  readonly path: string;

  /** Called when the file cannot be used, once for each new reason; the message says what happens to its tokens. */
  readonly onError: (error: TokenFileUnusable) => void;

  /**
   * The time, in milliseconds, between two looks at the file; from 1 to 900, 500 by default. A token that is taken
   * out of the file has to be refused within 2 s, and it takes two looks to know that the file was deleted.
   */
  readonly pollIntervalMs?: number;
}

/** A source of tokens that follows a file until it is closed. It does not keep the process alive. */
export interface TokenFile extends TokenSource {
  close(): void;
}

/** The file of tokens cannot be used. The message says why and what that means, and never shows what is in the file. */
export class TokenFileUnusable extends Error {
  override readonly name = 'TokenFileUnusable';
}

/**
 * Reads a file of tokens, and reads it again when it changes, however it is changed: written to, replaced by a rename,
 * behind a symbolic link that is turned to another file (as Kubernetes does).
 *
 * A file that cannot be used at one look is being saved, and nothing happens. At two looks in a row it is
 * - malformed, empty or unreadable by mistake: its tokens stay accepted;
 * - deleted, which is an order: its tokens are refused until it is back. Taking that for a mistake would keep revoked
 *   tokens alive, in silence; taking a mistake for an order is noticed by everybody at once, and mended by putting the
 *   file back.
 *
 * @throws {TokenFileUnusable} when the file cannot be used to begin with.
 * @throws {RangeError} when `pollIntervalMs` is out of its range.
 */
export async function openTokenFile({ path, onError, pollIntervalMs = 500 }: TokenFileOptions): Promise<TokenFile> {
  if (!(pollIntervalMs >= 1 && pollIntervalMs <= 900))
    throw new RangeError(`pollIntervalMs is ${pollIntervalMs}; give 1 to 900 ms`);

  let current = await read(path).catch((error: unknown) => {
    throw unusable(path, error, 'the service needs it to start');
  });
  let lastFailure: TokenFileUnusable | undefined;
  let reported: string | undefined;
  let closed = false;
  let timer = schedule();

  function schedule(): NodeJS.Timeout {
    return setTimeout(look, pollIntervalMs).unref();
  }

  async function look(): Promise<void> {
    let failure: TokenFileUnusable | undefined;
    try {
      current = await read(path, current);
      reported = undefined;
    } catch (error) {
      failure = unusable(path, error, isMissing(error) ? revoked : kept);
      // The same twice in a row: nobody is just saving the file.
      if (failure.message === lastFailure?.message) persists(failure);
    }
    lastFailure = failure;
    if (!closed) timer = schedule();
  }

  function persists(failure: TokenFileUnusable): void {
    if (isMissing(failure.cause)) current = none;
    if (!closed && failure.message !== reported) onError(failure);
    reported = failure.message;
  }

  return {
    get digests() {
      return current.digests;
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

const kept = 'the tokens that were accepted stay accepted';
const revoked = 'the tokens that it held are refused until it is back';

/** What was read, with the digest of the whole file: the text itself, which may hold tokens, is not kept. */
interface Contents {
  readonly whole: Buffer;
  readonly digests: readonly TokenDigest[];
}

const none: Contents = { whole: Buffer.alloc(0), digests: [] };

/** Compares what the file holds, not when it was changed: clocks are too coarse for two changes in a row. */
async function read(path: string, before: Contents = none): Promise<Contents> {
  const bytes = await readFile(path);
  const whole = sha256(bytes);
  if (whole.equals(before.whole)) return before;
  const digests = parseTokenLines(bytes.toString());
  if (digests.length === 0) throw new InvalidTokenEntry('it holds no token');
  return { whole, digests };
}

function unusable(path: string, cause: unknown, consequence: string): TokenFileUnusable {
  const reason = cause instanceof InvalidTokenEntry ? cause.message : `it cannot be read (${codeOf(cause)})`;
  return new TokenFileUnusable(`token file ${path}: ${reason}; ${consequence}`, { cause });
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : String(error);
}
