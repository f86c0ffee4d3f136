import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { isLocked } from './errors.ts';
import { findFile, identityAt } from './file-identity.ts';

/** An open database file. The caller closes its connection, which reads integers as bigints. */
export type DatabaseFile = Awaited<ReturnType<typeof openDatabase>>;

/**
 * Opens the file with durable commits, and creates it if it is missing.
 *
 * @param timeoutMs how long to wait if another process has locked it.
 * @throws {Error} the error of SQLite or of the file system, or of {@link findFile}.
 */
export async function openDatabase(path: string, timeoutMs: number) {
  findFile(path);
  const warning = oldLogWarning(path);
  const database = new DatabaseSync(path, { open: false, readBigInts: true, timeout: 0 });
  try {
    await mkdir(dirname(path), { recursive: true });
    database.open();
    await retryWhileLocked(timeoutMs, () => configure(database));
    // The first connection recovers commits that a killed process wrote to the log and did not sync. Without this sync a power
    // cut could lose a plant that was reported as existing.
    await using log = await open(`${database.location()}-wal`, 'r+');
    await log.datasync();
    const opened = identityAt(path);
    /** @throws {StoreUnavailable} if one of its files was moved, because no other process would then see the plants. */
    const assertNotReplaced = () => {
      if (identityAt(path) !== opened) throw new StoreUnavailable(`${path}, or a file of its log, ${MOVED}`);
    };
    return { path, database, assertNotReplaced, warning };
  } catch (error) {
    database[Symbol.dispose]();
    throw error;
  }
}

/** SQLite replays a log over its file, even if the file is a backup that was put there later. */
function oldLogWarning(path: string): string | undefined {
  const [file, log] = [path, `${path}-wal`].map((each) => statSync(each, { throwIfNoEntry: false }));
  if (!file || !log?.size || file.mtimeMs - log.mtimeMs < OLD_LOG_MS) return undefined;
  return `${path}-wal is older than ${path} and was replayed over it: if that is a restored backup, stop, restore it again and delete the -wal and -shm files first`;
}

/** 1 min: a checkpoint writes the file later than its log, but takes seconds at most. */
const OLD_LOG_MS = 60_000;

function configure(database: DatabaseSync): void {
  // With WAL, readers do not block the writer, and a commit syncs one file once.
  const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'];
  if (mode !== 'wal')
    throw new StoreUnavailable(
      `${database.location()}: SQLite cannot keep a write-ahead log there (journal mode ${mode}); set a path on a local disk`,
    );
  // NORMAL does not sync the log at every commit. On macOS a plain fsync leaves the data in the drive's cache.
  database.exec('PRAGMA synchronous = FULL; PRAGMA fullfsync = ON');
  // The first read recovers the log.
  database.exec('SELECT count(*) FROM sqlite_schema');
}

const MOVED = 'was moved, deleted or replaced while it was open; put it back, or restart';

/**
 * Opens a file for reading without changing its directory. If the log and its index are missing, SQLite would create them, and a
 * connection without write permission would leave them behind. Then it reads without a lock, and `assertUnchanged` throws
 * {@link StoreUnavailable} if another process has written meanwhile.
 */
export async function openForReading(path: string, timeoutMs: number) {
  const file = findFile(path);
  if (file === undefined) throw new StoreMisconfigured(`no such file: ${path}`);
  const [log, index] = [`${file}-wal`, `${file}-shm`].map(existsSync);
  const version = () => [file, `${file}-wal`].map((each) => statSync(each, { throwIfNoEntry: false })?.mtimeMs).join();
  const opened = version();
  const shared = log ? index && 'mode=ro' : isWritable(file) && 'mode=rw';
  // With immutable=1 SQLite ignores the journal, and would read an unfinished transaction.
  const search = shared || `mode=ro&${log || existsSync(`${file}-journal`) ? 'vfs=unix-none' : 'immutable=1'}`;
  const url = Object.assign(pathToFileURL(file), { search });
  const database = new DatabaseSync(url, { open: false, readBigInts: true, timeout: 0 });
  const assertUnchanged = () => {
    if (!shared && version() !== opened) throw new StoreUnavailable(`${path} was changed while it was read: try again`);
  };
  try {
    database.open();
    if (!shared) database.exec('PRAGMA locking_mode = EXCLUSIVE');
    await retryWhileLocked(timeoutMs, () => database.exec('SELECT count(*) FROM sqlite_schema'));
    return { database, assertUnchanged };
  } catch (error) {
    database[Symbol.dispose]();
    throw error;
  }
}

function isWritable(file: string): boolean {
  try {
    for (const each of [file, dirname(file)]) accessSync(each, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Retries while another process holds the file's lock. With `busy_timeout` SQLite would block this process instead. The pauses
 * are about as long as a commit, and random, so that two processes do not retry in step.
 *
 * @param ms how long it retries. @throws {Error} SQLite's `SQLITE_BUSY`, if another attempt would take longer.
 */
export async function retryWhileLocked<T>(ms: number, attempt: () => T): Promise<T> {
  const deadline = performance.now() + ms;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      const pause = 1 + Math.random() * 4;
      if (!isLocked(error) || performance.now() + pause > deadline) throw error;
      await sleep(pause);
    }
  }
}
