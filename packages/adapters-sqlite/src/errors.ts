import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';

/**
 * What to throw for a failure of the file: {@link StoreUnavailable} with what the operator can do about it, or
 * {@link PlantRefused} if SQLite refuses the plant itself. SQLite's error is the cause. Other errors come back as they are.
 */
export function translateError(error: unknown, path: string): unknown {
  if (!isSqliteError(error)) return error;
  const code = resultCode(error);
  const reported = `${path}: ${error.message} (SQLite code ${error.errcode})`;
  if (ofThePlant.has(code)) return new PlantRefused(reported, { cause: error });
  if (code === ERROR && !notMigrated.test(error.message)) return error;
  // SQLite reports a full disk as a failed one where it is about to make the index of the log.
  const hint =
    hints[code === IOERR && isFullDiskOf(path) ? FULL : code] ?? 'look the code up at https://sqlite.org/rescode.html';
  const Failure = misconfigurations.has(code) ? StoreMisconfigured : StoreUnavailable;
  return new Failure(`${reported}; ${hint}`, { cause: error });
}

/** Whether a call to the file system failed because there is no space left, on the disk or in the user's share of it. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

/** What to throw for {@link isDiskFull}. */
export function diskFull(path: string, cause: unknown): StoreUnavailable {
  return new StoreUnavailable(`${path}: ${hints[FULL]}`, { cause });
}

/** Whether the disk of the file has no space for what SQLite needs beside it. */
function isFullDiskOf(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < INDEX_BYTES;
  } catch {
    return false;
  }
}

/** A log's index is made with 32 KiB; a log with some pages needs no more. */
const INDEX_BYTES = 64 * 1024;

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
  [FULL]: 'the disk is full: free space on it',
  [CANTOPEN]: 'check that the path leads to a file and that the service may read and write it and its directory',
  [NOTADB]: 'the path leads to a file of another kind: set another path, or restore a backup',
};
