import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';

/**
 * What to throw for a failure of the file: {@link StoreUnavailable} with what the operator can do about it, and
 * SQLite's error as its cause. If SQLite refuses the plant itself, or the error is not SQLite's, it comes back as it
 * is.
 */
export function toStoreUnavailable(error: unknown, path: string): unknown {
  if (!isSqliteError(error)) return error;
  const code = resultCode(error);
  if (ofThePlant.has(code)) return error;
  if (code === ERROR && !notMigrated.test(error.message)) return error;
  const hint = hints[code] ?? 'look the code up at https://sqlite.org/rescode.html';
  const Failure = misconfigurations.has(code) ? StoreMisconfigured : StoreUnavailable;
  return new Failure(`${path}: ${error.message} (SQLite code ${error.errcode}); ${hint}`, { cause: error });
}

/** Whether another connection holds the lock, so that a later attempt may succeed. */
export function isLocked(error: unknown): boolean {
  return isSqliteError(error) && (resultCode(error) === BUSY || resultCode(error) === PROTOCOL);
}

interface SqliteError extends Error {
  /** The extended result code, whose lowest byte is the result code (https://sqlite.org/rescode.html). */
  readonly errcode: number;
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR' && 'errcode' in error;
}

function resultCode(error: SqliteError): number {
  return error.errcode & 0xff;
}

const ERROR = 1;
const BUSY = 5;
const NOMEM = 7;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const PROTOCOL = 15;
const TOOBIG = 18;
const CONSTRAINT = 19;
const NOTADB = 26;

/** SQLite refuses the plant itself; others would be stored. */
const ofThePlant: ReadonlySet<number> = new Set([TOOBIG, CONSTRAINT]);

/** Waiting does not help: another path, another file or a permission is needed. */
const misconfigurations: ReadonlySet<number> = new Set([READONLY, CORRUPT, CANTOPEN, NOTADB]);

/** Every other error of code 1 is an error in the SQL: a defect, which must not pass for an outage. */
const notMigrated = /no such (table|column)|has no column named/;

const locked = 'another process keeps the file locked: let it finish or end it (fuser shows which)';

const hints: Readonly<Record<number, string>> = {
  [ERROR]: 'the file is not migrated: run the migrations',
  [BUSY]: locked,
  [PROTOCOL]: locked,
  [NOMEM]: 'the process is out of memory: give it more',
  [READONLY]: 'let the service write to the file, its -wal and -shm files and their directory, then restart it',
  [IOERR]: 'the disk failed: check the kernel log and the file system',
  [CORRUPT]: 'the file is damaged: stop the service, then restore a backup or salvage it (sqlite3 FILE .recover)',
  [FULL]: 'free space on the disk',
  [CANTOPEN]: 'check that the path leads to a file and that the service may read and write it and its directory',
  [NOTADB]: 'the path leads to a file of another kind: set another path, or restore a backup',
};
