import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { WrongUsage } from '../../usage-error.ts';

/** Where an export goes. Disposing of one that was not written whole leaves what was there before. */
export interface Target extends AsyncDisposable {
  write(records: AsyncIterable<string>): Promise<void>;
}

/**
 * Opens a target; `-` is standard output. A regular file appears when it is whole, with the permissions of the one that it
 * replaces; what a link leads to is replaced, not the link. Anything else, such as a pipe or a device, is written to.
 *
 * @throws {WrongUsage} when it cannot be written.
 */
export async function openTarget(file: string): Promise<Target> {
  if (file === '-') return standardOutput;
  try {
    const there = await stat(file).catch(undefinedIfAbsent);
    if (there?.isFile()) return await replaced(await realpath(file), there.mode & 0o7777);
    const isLinkToNothing = !there && (await lstat(file).catch(undefinedIfAbsent));
    return there || isLinkToNothing ? writtenTo(await open(file, 'w')) : await replaced(file);
  } catch (error) {
    throw new WrongUsage(
      `${file} cannot be written (${(error as NodeJS.ErrnoException).code}): give the path of a file that can`,
      { cause: error },
    );
  }
}

/** Whoever reads may leave early, as `head` does. */
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
  // Whatever is left of an earlier one may be open to others.
  await rm(draft, { force: true });
  const handle = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
  // What the process masks, too.
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
