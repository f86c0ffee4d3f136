import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorMessage, UsageError } from '../../errors.ts';

/** Where an export is written. Disposing of it before it is complete keeps the previous file. */
export interface Target extends AsyncDisposable {
  /** @param signal ends it early. */
  write(records: AsyncIterable<string>, signal: AbortSignal): Promise<void>;
}

/**
 * Opens a target; `-` is standard output. A file appears once it is complete, readable by its owner only. An existing one
 * is replaced atomically if `force` is set, and keeps its permissions; of a link, the file it points to is replaced.
 * Anything else, such as a pipe or a device, is written to.
 *
 * @throws {UsageError} if it cannot be written, or exists and `force` is not set.
 */
export async function openTarget(
  file: string,
  { force, stdout }: { readonly force: boolean; readonly stdout: Writable },
): Promise<Target> {
  if (file === '-') return standardOutput(stdout);
  try {
    const existing = await stat(file).catch(undefinedIfAbsent);
    if (!existing) return await created(file);
    if (!existing.isFile()) return writtenTo(await open(file, constants.O_WRONLY));
    if (!force) throw exists(file);
    return await replaced(await realpath(file), existing.mode & 0o7777);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code = errorMessage(error) } = error as NodeJS.ErrnoException;
    throw new UsageError(`cannot write ${file} (${code}): pass the path of a writable file`, { cause: error });
  }
}

function exists(file: string): UsageError {
  return new UsageError(`${file} exists: pass --force to replace it`);
}

/** The reader may close the pipe early, as `head` does. */
function standardOutput(stdout: Writable): Target {
  return {
    async write(records, signal) {
      await pipeline(records, stdout, { signal }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE') throw error;
      });
    },
    async [Symbol.asyncDispose]() {},
  };
}

function writtenTo(handle: FileHandle): Target {
  return {
    write: (records, signal) => pipeline(records, handle.createWriteStream(), { signal }),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function created(path: string): Promise<Target> {
  const assertAbsent = async () => {
    const stats = await lstat(path).catch(undefinedIfAbsent);
    if (stats?.isSymbolicLink())
      throw new UsageError(`${path} is a link to a file that does not exist: pass another path`);
    if (stats) throw exists(path);
  };
  await assertAbsent();
  return drafted(path, 0o600, assertAbsent);
}

async function replaced(path: string, mode: number): Promise<Target> {
  return drafted(path, mode, async () => {});
}

/** @param check called before the file takes its place. */
async function drafted(path: string, mode: number, check: () => Promise<void>): Promise<Target> {
  // A name of its own: another export to the same file has another draft.
  const draft = `${path}.${randomBytes(4).toString('hex')}.incomplete`;
  const handle = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  // Including the bits that the umask of this process removes.
  await handle.chmod(mode);
  return {
    async write(records, signal) {
      await pipeline(records, handle.createWriteStream({ flush: true }), { signal });
      await check();
      await rename(draft, path);
    },
    async [Symbol.asyncDispose]() {
      await handle.close();
      await rm(draft, { force: true });
    },
  };
}

function undefinedIfAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
