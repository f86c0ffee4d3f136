import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { errorMessage, UsageError } from '../../errors.ts';

/** Where an export is written. Disposing of it before it is complete keeps the previous file. */
export interface Target extends AsyncDisposable {
  write(records: AsyncIterable<string>): Promise<void>;
}

/**
 * Opens a target; `-` is standard output. A regular file is replaced atomically once it is complete and keeps its
 * permissions; of a link, the file it points to is replaced. Anything else, such as a pipe or a device, is written to.
 *
 * @throws {UsageError} if it cannot be written.
 */
export async function openTarget(file: string): Promise<Target> {
  if (file === '-') return standardOutput;
  try {
    const existing = await stat(file).catch(undefinedIfAbsent);
    if (existing?.isFile()) return await replaced(await realpath(file), existing.mode & 0o7777);
    const isDanglingLink = !existing && (await lstat(file).catch(undefinedIfAbsent));
    return existing || isDanglingLink ? writtenTo(await open(file, 'w')) : await replaced(file);
  } catch (error) {
    const { code = errorMessage(error) } = error as NodeJS.ErrnoException;
    throw new UsageError(`cannot write ${file} (${code}): pass the path of a writable file`, { cause: error });
  }
}

/** The reader may close the pipe early, as `head` does. */
const standardOutput: Target = {
  async write(records) {
    await pipeline(records, process.stdout).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  },
  async [Symbol.asyncDispose]() {},
};

function writtenTo(handle: FileHandle): Target {
  return {
    write: (records) => pipeline(records, handle.createWriteStream()),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function replaced(path: string, mode?: number): Promise<Target> {
  const draft = `${path}.incomplete`;
  // What an earlier export left may have wider permissions.
  await rm(draft, { force: true });
  const handle = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
  // Including the bits that the umask of this process removes.
  if (mode !== undefined) await handle.chmod(mode);
  return {
    async write(records) {
      await pipeline(records, handle.createWriteStream({ flush: true }));
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
