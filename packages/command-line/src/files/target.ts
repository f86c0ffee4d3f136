import { randomBytes } from 'node:crypto';
import { constants, createWriteStream, openSync } from 'node:fs';
import { lstat, open, rename, rm, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { isatty } from 'node:tty';
import { errorMessage, UsageError } from '../errors.ts';
import { isSameFile } from './same-file.ts';

/** Where a command writes its result. Disposing of it before it is complete leaves nothing behind. */
export interface Target extends AsyncDisposable {
  /** Whether it is a terminal, which obeys control characters. */
  readonly isTerminal: boolean;
  /**
   * Writes all of it, once.
   * @param signal ends it early.
   * @throws {UsageError} if a file has appeared in the meantime, and `force` is not set.
   */
  write(text: Iterable<string> | AsyncIterable<string>, signal?: AbortSignal): Promise<void>;
}

export interface TargetOptions {
  /** Whether an existing file is replaced, and anything else, such as a pipe, written to. */
  readonly force: boolean;
  /** Files that the store consists of, which are refused under whatever name and link. */
  readonly storeFiles: readonly string[];
}

/**
 * Opens a target. A file appears once it is complete, and only its owner can read it. It takes the place of another one, or
 * of a link, if `force` is set. What is not a file is written to if `force` is set or the path is a standard device.
 *
 * @throws {UsageError} if it cannot be written.
 */
export async function openTarget(file: string, { force, storeFiles }: TargetOptions): Promise<Target> {
  for (const own of storeFiles)
    if (await isSameFile(file, own)) throw new UsageError(`${file} is a file of the store itself: pass another path`);
  try {
    const existing = await undefinedIfAbsent(stat(file));
    if (existing?.isDirectory()) throw new UsageError(`${file} is a directory: pass the path of a file`);
    const isFile = !existing || existing.isFile();
    if (existing && (DEVICE.test(file) || (force && !isFile))) return writtenTo(file, existing.isFIFO());
    if (!isFile) throw new UsageError(`${file} is not a regular file: pass another path, or --force to write to it`);
    // `lstat` also finds a link that leads nowhere.
    if (!force && (await undefinedIfAbsent(lstat(file)))) throw exists(file);
    return await drafted(file, force);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code = errorMessage(error) } = error as NodeJS.ErrnoException;
    throw new UsageError(`cannot write ${file} (${code}): pass the path of a writable file`, { cause: error });
  }
}

/** Not all of /dev: every user may lay a pipe in /dev/shm. The /dev/fd/63 of a shell's >(…) is one. */
const DEVICE = /^\/dev\/(?:std(?:out|err)|fd\/\d+|null|full|tty)$/;

function undefinedIfAbsent<Result>(found: Promise<Result>): Promise<Result | undefined> {
  return found.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
}

function exists(file: string): UsageError {
  return new UsageError(`${file} exists: pass --force to replace it`);
}

function writtenTo(path: string, isPipe: boolean): Target {
  const { O_WRONLY, O_APPEND, O_NOCTTY, O_NONBLOCK } = constants;
  // Fails if no process reads a pipe; without O_NONBLOCK it would wait for one, and nothing could end that wait.
  const fd = openSync(path, O_WRONLY | O_APPEND | O_NOCTTY | (isPipe ? O_NONBLOCK : 0));
  const stream = isPipe ? new Socket({ fd, readable: false, writable: true }) : createWriteStream('', { fd });
  return {
    isTerminal: isatty(fd),
    write: (text, signal) => pipeline(text, stream, { signal }),
    async [Symbol.asyncDispose]() {
      stream.destroy();
    },
  };
}

async function drafted(path: string, force: boolean): Promise<Target> {
  // A name of its own: another command that writes the same file has another draft.
  const draft = `${path}.${randomBytes(4).toString('hex')}.incomplete`;
  const handle = await open(draft, 'wx', 0o600);
  return {
    isTerminal: false,
    async write(text, signal) {
      await pipeline(text, handle.createWriteStream({ flush: true }), { signal });
      if (!force) await claim(path);
      await rename(draft, path);
    },
    async [Symbol.asyncDispose]() {
      await handle.close();
      await rm(draft, { force: true });
    },
  };
}

/** Takes the name with an empty file, so that renaming to it replaces nothing else. Not every file system has links. */
async function claim(path: string): Promise<void> {
  const placeholder = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? exists(path) : error;
  });
  await placeholder.close();
}
