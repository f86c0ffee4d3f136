import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { constants, createWriteStream, openSync } from 'node:fs';
import { lstat, open, rename, rm, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { UsageError } from '../errors.ts';

/** Where a command writes. Disposing of a file that is not committed leaves nothing behind. */
export interface Output extends AsyncDisposable {
  readonly stream: Writable;
  /** Gives a file its name, once the stream is finished. */
  commit(): Promise<void>;
}

/**
 * Opens an output: a regular file, which appears once it is complete, and only its owner can read it; or a standard device.
 *
 * @param force whether an existing file or link is replaced.
 * @param inUse files that the command reads, or that the store consists of. They are refused under whatever name and link.
 * @throws {UsageError} if it cannot be written.
 */
export async function openOutput(file: string, force: boolean, inUse: readonly string[]): Promise<Output> {
  const stats = await foundBy(stat(file, { bigint: true }));
  const used = await Promise.all(inUse.map((other) => foundBy(stat(other, { bigint: true }))));
  if (stats?.isFile() && used.some((other) => stats.dev === other?.dev && stats.ino === other.ino))
    throw new UsageError(`${file} is in use by this command: pass another path`);
  const isDevice = DEVICE.test(file);
  if (!isDevice && stats?.isFile() === false)
    throw new UsageError(`${file} is not a regular file: pass the path of one`);
  // `lstat` also finds a link that leads nowhere.
  if (!isDevice && !force && (await foundBy(lstat(file))))
    throw new UsageError(`${file} exists: pass another path, or --force to replace it`);
  const opening = isDevice ? device(file, stats?.isFIFO()) : drafted(file, force);
  return opening.catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`cannot write ${file} (${cause.code}): pass the path of a writable file`, { cause });
  });
}

/** Not all of /dev: every user may lay a pipe in /dev/shm. The /dev/fd/63 of a shell's >(…) is one. */
const DEVICE = /^\/dev\/(?:std(?:out|err)|fd\/\d+|null|full|tty)$/;

/** What cannot be found out is not there: opening says why. */
function foundBy<Found>(look: Promise<Found>): Promise<Found | undefined> {
  return look.catch(() => undefined);
}

async function device(path: string, isPipe = false): Promise<Output> {
  const { O_WRONLY, O_APPEND, O_NOCTTY, O_NONBLOCK } = constants;
  // A pipe whose reader has gone, or does not read, would otherwise hold up the process, even its exit.
  const fd = openSync(path, O_WRONLY | O_APPEND | O_NOCTTY | (isPipe ? O_NONBLOCK : 0));
  const stream = isPipe ? new Socket({ fd, readable: false, writable: true }) : createWriteStream('', { fd });
  return {
    stream,
    async commit() {},
    async [Symbol.asyncDispose]() {
      stream.destroy();
    },
  };
}

async function drafted(path: string, force: boolean): Promise<Output> {
  // A name of its own: another command that writes the same file has another draft.
  const draft = `${path}.${randomBytes(4).toString('hex')}.incomplete`;
  const stream = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
  await once(stream, 'open');
  return {
    stream,
    async commit() {
      // Takes the name, so that renaming replaces nothing else. Not every file system has links.
      if (!force) await (await open(path, 'wx', 0o600)).close();
      await rename(draft, path);
    },
    async [Symbol.asyncDispose]() {
      stream.destroy();
      await rm(draft, { force: true });
    },
  };
}
