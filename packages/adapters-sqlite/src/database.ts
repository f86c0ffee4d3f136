import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { isLocked } from './errors.ts';
import { findFile, identityAt } from './file-identity.ts';

/** An open database file: its connection, which reads integers as bigints and which the caller closes. */
export type DatabaseFile = Awaited<ReturnType<typeof openDatabase>>;

/**
 * Opens the file so that a commit is synced before it is answered, and makes it where it is missing.
 *
 * @param timeoutMs how long to wait while another process has it locked.
 * @throws SQLite's own error, or the file system's, when that cannot be done; what {@link findFile} does.
 */
export async function openDatabase(path: string, timeoutMs: number) {
  findFile(path);
  const database = new DatabaseSync(path, { open: false, readBigInts: true, timeout: 0 });
  try {
    await mkdir(dirname(path), { recursive: true });
    database.open();
    await retryWhileLocked(performance.now() + timeoutMs, () => configure(database));
    // What a process that was killed wrote to the log and did not sync, SQLite recovers and shows when the first connection
    // opens it: such a plant would be answered as existing, and a power cut could then lose it. So the log is synced once.
    await using log = await open(`${database.location()}-wal`, 'r+');
    await log.datasync();
    const opened = identityAt(path);
    /** @throws {StoreUnavailable} after `rm` or `mv` of one of its files: nobody else would see what is stored. */
    const assertNotReplaced = () => {
      if (identityAt(path) !== opened) throw new StoreUnavailable(`${path}, or a file of its log, ${MOVED}`);
    };
    return { path, database, assertNotReplaced };
  } catch (error) {
    database[Symbol.dispose]();
    throw error;
  }
}

function configure(database: DatabaseSync): void {
  // Readers and a writer do not block each other, and a commit costs one sync of one file.
  const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'];
  if (mode !== 'wal')
    throw new StoreUnavailable(
      `${database.location()}: SQLite cannot keep a write-ahead log there (journal mode ${mode}); set a path on a local disk`,
    );
  // NORMAL would not sync the log at every commit. On macOS a plain sync leaves the data in the drive's cache.
  database.exec('PRAGMA synchronous = FULL; PRAGMA fullfsync = ON');
  // The first read joins the log, and recovers what a killed process left in it.
  database.exec('SELECT count(*) FROM sqlite_schema');
}

const MOVED = 'was moved, deleted or replaced while it was open; put it back, or restart';

/**
 * Opens a file, whose integers are read as bigints, so that it and what is beside it stays as it is. SQLite makes the log and
 * its index if they are missing, and a connection that may not write would leave them behind. So it reads without them, and
 * without a lock: then `assertUnchanged` throws {@link StoreUnavailable} if somebody has written meanwhile.
 */
export async function openForReading(path: string, timeoutMs: number) {
  const file = findFile(path);
  if (file === undefined) throw new StoreMisconfigured(`no such file: ${path}`);
  const [log, index] = [`${file}-wal`, `${file}-shm`].map(existsSync);
  const version = () => [file, `${file}-wal`].map((each) => statSync(each, { throwIfNoEntry: false })?.mtimeMs).join();
  const opened = version();
  const shared = log ? index && 'mode=ro' : isWritable(file) && 'mode=rw';
  // One that is immutable would be read with what an unfinished transaction has left in it.
  const search = shared || `mode=ro&${log || existsSync(`${file}-journal`) ? 'vfs=unix-none' : 'immutable=1'}`;
  const url = Object.assign(pathToFileURL(file), { search });
  const database = new DatabaseSync(url, { open: false, readBigInts: true, timeout: 0 });
  const assertUnchanged = () => {
    if (!shared && version() !== opened) throw new StoreUnavailable(`${path} was changed while it was read: try again`);
  };
  try {
    database.open();
    if (!shared) database.exec('PRAGMA locking_mode = EXCLUSIVE');
    await retryWhileLocked(performance.now() + timeoutMs, () => database.exec('SELECT count(*) FROM sqlite_schema'));
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
 * Retries while another process holds the file's lock, until the deadline (by `performance.now()`): if SQLite waited by
 * itself (`busy_timeout`), nothing else would run in the process. The pauses are about as long as a commit, since that is
 * for how long another process holds the lock, and random, so that two processes do not stay in step.
 *
 * @throws SQLite's own error, `SQLITE_BUSY`, when the deadline would pass before another attempt.
 */
export async function retryWhileLocked<T>(deadline: number, attempt: () => T): Promise<T> {
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
