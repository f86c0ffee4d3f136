import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import fs, { type FileHandle, lstat, open, realpath, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { isatty } from 'node:tty';
import { errorMessage, UsageError } from '../errors.ts';
import { isSameFile } from './same-file.ts';
import { undefinedIfAbsent } from './undefined-if-absent.ts';

/** Where a command writes its result. Disposing of it before it is complete keeps the previous file. */
export interface Target extends AsyncDisposable {
  /** Whether it is a terminal, which obeys control characters. */
  readonly isTerminal: boolean;
  /**
   * @param signal ends it early.
   * @throws {UsageError} if a file has appeared in the meantime, and `force` is not set.
   */
  write(text: Iterable<string> | AsyncIterable<string>, signal?: AbortSignal): Promise<void>;
}

export interface TargetOptions {
  /** Whether an existing file is replaced. */
  readonly force: boolean;
  /** Files that the store consists of, which are refused under whatever name and link. */
  readonly storeFiles: readonly string[];
}

/**
 * Opens a target. A file appears once it is complete, readable by its owner only; until `write` is called there is nothing
 * at all. An existing one is replaced atomically if `force` is set, and keeps its permissions; of a link, the file it
 * points to is replaced. Anything else, such as a pipe or a device, is written to.
 *
 * @throws {UsageError} if it cannot be written, is a file of the store, or exists and `force` is not set.
 */
export async function openTarget(file: string, { force, storeFiles }: TargetOptions): Promise<Target> {
  for (const own of storeFiles)
    if (await isSameFile(file, own)) throw new UsageError(`${file} is a file of the store itself: pass another path`);
  try {
    const existing = await stat(file).catch(undefinedIfAbsent);
    if (!existing) return await created(file);
    if (!existing.isFile()) return writtenTo(await open(file, constants.O_WRONLY | constants.O_NOCTTY));
    if (!force) throw exists(file);
    return await drafted(await realpath(file), existing.mode & 0o7777, fs.rename);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code = errorMessage(error) } = error as NodeJS.ErrnoException;
    throw new UsageError(`cannot write ${file} (${code}): pass the path of a writable file`, { cause: error });
  }
}

function exists(file: string): UsageError {
  return new UsageError(`${file} exists: pass --force to replace it`);
}

function writtenTo(handle: FileHandle): Target {
  return {
    isTerminal: isatty(handle.fd),
    write: (text, signal) => pipeline(text, handle.createWriteStream(), { signal }),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function created(path: string): Promise<Target> {
  // `stat` has found nothing, so this is a link that leads nowhere.
  if (await lstat(path).catch(undefinedIfAbsent))
    throw new UsageError(`${path} is a link to a file that does not exist: pass another path`);
  return drafted(path, 0o600, linkOnly);
}

/** Gives the draft its place unless there is something, in one step. */
async function linkOnly(draft: string, path: string): Promise<void> {
  try {
    await fs.link(draft, path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw exists(path);
    if (!NO_HARD_LINKS.includes(code)) throw error;
    await claim(path);
    await fs.rename(draft, path);
  }
}

/** What file systems without hard links say, such as FAT and some of networks. */
const NO_HARD_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Takes the name with an empty file, so that what is renamed to it replaces nothing else. */
async function claim(path: string): Promise<void> {
  const placeholder = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? exists(path) : error;
  });
  await placeholder.close();
}

/** @param place gives the complete draft its place. */
async function drafted(
  path: string,
  mode: number,
  place: (draft: string, path: string) => Promise<void>,
): Promise<Target> {
  // A name of its own: another command that writes the same file has another draft.
  const draft = `${path}.${randomBytes(4).toString('hex')}.incomplete`;
  const openDraft = () => open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  // Fails if no file can be written here. It is not kept: a process that is killed before it writes leaves nothing.
  await (await openDraft()).close();
  await rm(draft);
  let handle: FileHandle | undefined;
  return {
    isTerminal: false,
    async write(text, signal) {
      handle = await openDraft();
      // Including the bits that the umask of this process removes.
      await handle.chmod(mode);
      await pipeline(text, handle.createWriteStream({ flush: true }), { signal });
      await place(draft, path);
    },
    async [Symbol.asyncDispose]() {
      await handle?.close();
      await rm(draft, { force: true });
    },
  };
}
