import { type BigIntStats, statSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { diskFull, isDiskFull, translateError } from '../errors.ts';
import type { CompleteOptions } from '../options.ts';
import { untilUnlocked } from './lock.ts';

/** Which file to open, and how long to wait while another process has it locked. */
export type OpenOptions = Pick<CompleteOptions, 'path' | 'timeoutMs'>;

/** An open database file. */
export interface DatabaseFile {
  /** Absolute. */
  readonly path: string;
  /** The one connection to it. Integers are read as bigints. The caller that opened the file closes it. */
  readonly database: DatabaseSync;
  /**
   * @throws {StoreUnavailable} when the path no longer leads to this file, or that of its log or index to theirs, as after
   * `rm` or `mv`: nobody else would see what is stored.
   */
  assertInPlace(): void;
}

/**
 * Opens the file so that a commit is synced before it is answered, and makes it where it is missing.
 *
 * @throws {StoreUnavailable} when that cannot be done, with what to do about it.
 */
export async function openDatabase(options: OpenOptions): Promise<DatabaseFile> {
  const { path } = options;
  let database: DatabaseSync | undefined;
  try {
    await makeDirectory(dirname(path));
    await makeFile(path);
    const opened = new DatabaseSync(path, { readBigInts: true, timeout: 0 });
    database = opened;
    await untilUnlocked(performance.now() + options.timeoutMs, async () => configure(opened));
    await syncLog(`${opened.location()}-wal`);
    return { path, database: opened, assertInPlace: placeOf(path, opened) };
  } catch (error) {
    database?.close();
    throw translateError(error, path);
  }
}

/** Waiting does not make such a path usable. */
const unusable = new Set(['EACCES', 'EEXIST', 'ENOTDIR', 'EPERM', 'EROFS']);

/** For the owner alone, which a umask does not ensure. A directory that is there keeps its permissions. */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    if (isDiskFull(cause)) throw diskFull(path, cause);
    const message = `cannot create the directory ${path}: create it, or set a path that the service may write to`;
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    throw new (unusable.has(String(code)) ? StoreMisconfigured : StoreUnavailable)(message, { cause });
  }
}

/**
 * The same for the file; SQLite gives its log and index the permissions of the file. One that is there is not opened:
 * closing it again would release the locks that this process has on it. What is wrong with it, SQLite says.
 */
async function makeFile(path: string): Promise<void> {
  try {
    await (await open(path, 'ax', 0o600)).close();
  } catch (cause) {
    if (isDiskFull(cause)) throw diskFull(path, cause);
  }
}

function configure(database: DatabaseSync): void {
  // Readers and a writer do not block each other, and a commit costs one sync of one file.
  const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'];
  if (mode !== 'wal')
    throw new StoreUnavailable(
      `${database.location()}: SQLite cannot keep a write-ahead log there (journal mode ${mode}); set a path on a local disk`,
    );
  // Sync the log at every commit. NORMAL does not: a power cut would lose acknowledged commits.
  database.exec('PRAGMA synchronous = FULL');
  // On macOS a plain sync leaves the data in the drive's cache. Other systems ignore this.
  database.exec('PRAGMA fullfsync = ON');
  // The first read joins the log, and recovers what a killed process left in it.
  database.exec('SELECT count(*) FROM sqlite_schema');
}

/**
 * A process that is killed between writing a commit to the log and syncing it leaves a commit that the next process to
 * open the file recovers and shows, synced or not. Such a plant would be answered as existing, and a power cut could
 * then lose it. Recovery happens only when the first connection opens the log, so one sync here is enough.
 */
async function syncLog(path: string): Promise<void> {
  try {
    await using log = await open(path, 'r+');
    await log.datasync();
  } catch (cause) {
    if (isDiskFull(cause)) throw diskFull(path, cause);
    throw new StoreUnavailable(`${path} cannot be synced; let the service write to it, or check its disk`, {
      cause,
    });
  }
}

function placeOf(path: string, database: DatabaseSync): () => void {
  // While a connection is open, SQLite deletes neither the log nor its index.
  const files = [path, ...['-wal', '-shm'].map((suffix) => `${database.location()}${suffix}`)];
  const opened = files.map((file) => ({ file, was: identityOf(file) }));
  return () => {
    for (const { file, was } of opened) {
      const now = identityOf(file);
      if (was?.ino !== now?.ino || was?.dev !== now?.dev)
        throw new StoreUnavailable(`${file} was moved, deleted or replaced while it was open; put it back, or restart`);
    }
  };
}

function identityOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}
