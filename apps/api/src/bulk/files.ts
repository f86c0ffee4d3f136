import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { constants, createReadStream, createWriteStream, openSync } from 'node:fs';
import { lstat, open, rename, rm, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable, type Writable } from 'node:stream';
import { UsageError } from '../errors.ts';

/**
 * Opens a regular file, or standard input for `-`.
 * @param signal aborts reading, because standard input may block and a line may take hours.
 * @throws {UsageError} if the file cannot be read.
 */
export async function openSource(file: string, stdin: Readable, signal: AbortSignal): Promise<Readable> {
  if (file === '-') return addAbortSignal(signal, stdin);
  const stats = await stat(file).catch(() => undefined);
  if (stats && !stats.isFile())
    throw new UsageError(`${file} is not a regular file: pass the path of one, or - for standard input`);
  const stream = createReadStream(file, { highWaterMark: 256 * 1024, signal });
  await once(stream, 'open').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'no such file' : `cannot be read (${error.code})`;
    throw new UsageError(`${file}: ${reason}`, { cause: error });
  });
  return stream;
}

/** The output of a command. Disposing an uncommitted file deletes it. */
export interface Output extends AsyncDisposable {
  readonly stream: Writable;
  /** Renames the file to its final name. The stream must be finished. */
  commit(): Promise<void>;
}

/**
 * Opens an output: a regular file with mode 0600, which appears once it is complete, or a standard device.
 *
 * @param force whether to replace an existing file or link.
 * @param inUse files that the command reads, or the store's own. They are rejected under any name or link.
 * @throws {UsageError} if it cannot be written.
 */
export async function openOutput(file: string, force: boolean, inUse: readonly string[]): Promise<Output> {
  const stats = await orUndefined(stat(file, { bigint: true }));
  const used = await Promise.all(inUse.map((other) => orUndefined(stat(other, { bigint: true }))));
  if (stats?.isFile() && used.some((other) => stats.dev === other?.dev && stats.ino === other.ino))
    throw new UsageError(`${file} is in use by this command: pass another path`);
  const isDevice = DEVICE.test(file);
  if (!isDevice && stats?.isFile() === false)
    throw new UsageError(`${file} is not a regular file: pass the path of one`);
  // `lstat` also finds a dangling link.
  if (!isDevice && !force && (await orUndefined(lstat(file))))
    throw new UsageError(`${file} exists: pass another path, or --force to replace it`);
  const opening = isDevice ? device(file, stats?.isFIFO()) : newFile(file, force);
  return opening.catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`cannot write ${file} (${cause.code}): pass the path of a writable file`, { cause });
  });
}

/** Only standard devices, because any user may create a pipe in /dev/shm. A shell's >(…) is /dev/fd/63, for example. */
const DEVICE = /^\/dev\/(?:std(?:out|err)|fd\/\d+|null|full|tty)$/;

/** Ignores errors, because opening the file reports them. */
function orUndefined<Found>(look: Promise<Found>): Promise<Found | undefined> {
  return look.catch(() => undefined);
}

async function device(path: string, isPipe = false): Promise<Output> {
  const { O_WRONLY, O_APPEND, O_NOCTTY, O_NONBLOCK } = constants;
  // A blocking write to a pipe that nobody reads would hang the process, even at exit.
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

async function newFile(path: string, force: boolean): Promise<Output> {
  // A unique name, because another command may write the same file.
  const draft = `${path}.${randomBytes(4).toString('hex')}.incomplete`;
  const stream = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
  await once(stream, 'open');
  return {
    stream,
    async commit() {
      // Creates the file first, so that `rename` replaces no other file. Not every file system supports links.
      if (!force) await (await open(path, 'wx', 0o600)).close();
      await rename(draft, path);
    },
    async [Symbol.asyncDispose]() {
      stream.destroy();
      await rm(draft, { force: true });
    },
  };
}
