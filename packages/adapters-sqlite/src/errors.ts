import { readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { type ErrorRow, NOT_MIGRATED, storeErrors } from '@plant-store/store-kit';

/**
 * Translates an error of SQLite or the file system into the port's, with what the operator can do. Returns defects unchanged, which
 * are errors in the SQL and all other errors.
 */
export function translateError(error: unknown, path: string): unknown {
  return storeErrors(path, () => rowOf(error, path), withResultCode).translate(error);
}

/** Whether another connection holds the lock. */
export function isLocked(error: unknown): boolean {
  return rows[codeOf(error) ?? ''] === locked;
}

function rowOf(error: unknown, path: string): ErrorRow {
  const code = codeOf(error);
  if (code === undefined || (code === 1 && !notMigrated.test(String(error)))) return ['defect'];
  // SQLite reports other errors if it cannot create a file on a full disk.
  if ((code === 10 || code === 14) && isOnFullDisk(path)) return full;
  if (code === 10 && isAtSizeLimit(path)) return tooLarge;
  return rows[code] ?? unknown;
}

/** The primary result code of SQLite, which is the lowest byte, or the code of the file system. */
function codeOf(error: unknown): number | string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('errcode' in error) return Number(error.errcode) & 0xff;
  return 'syscall' in error && 'code' in error ? String(error.code) : undefined;
}

/** Sets `code` for the message, because all errors of node:sqlite have the same one. */
function withResultCode(error: Error): Error {
  return 'errcode' in error ? Object.assign(error, { code: `SQLite code ${error.errcode}` }) : error;
}

/** Whether the disk lacks space for the index of a log, which starts with 32 KiB. */
function isOnFullDisk(path: string): boolean {
  try {
    const { blocks, bavail, bsize } = statfsSync(dirname(path));
    // Virtual file systems such as /proc have no blocks.
    return blocks > 0 && bavail * bsize < 64 * 1024;
  } catch {
    return false;
  }
}

/** Whether the file or its log is as large as this process may make a file. Linux alone tells the limit. */
function isAtSizeLimit(path: string): boolean {
  try {
    const [, limit] = /^Max file size +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    const sizes = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
    return limit !== undefined && Math.max(...sizes) + 64 * 1024 > Number(limit);
  } catch {
    return false;
  }
}

/** Any other error with code 1 is an error in the SQL, which must not look like an outage. */
const notMigrated = /no such (table|column)/;

const unknown: ErrorRow = ['unavailable', 'unknown error: see https://sqlite.org/rescode.html, or errno(3)'];
const locked: ErrorRow = ['unavailable', 'another process has locked the file: wait for it or end it (see fuser)'];
const full: ErrorRow = ['unavailable', 'the disk is full: free space on it'];
const tooLarge: ErrorRow = ['unavailable', "the file is as large as the process's limit allows: raise it (ulimit -f)"];
const failed: ErrorRow = ['unavailable', 'the disk failed: check the kernel log and the file system'];
const denied: ErrorRow = ['misconfigured', 'let the service write there, or set another path'];

/** By the result code of SQLite (https://sqlite.org/rescode.html) or of the file system. */
const rows: Readonly<Record<string, ErrorRow>> = {
  1: ['unavailable', NOT_MIGRATED],
  5: locked,
  7: ['unavailable', 'the process is out of memory: raise its limit'],
  8: ['misconfigured', 'let the service write to the file, its -wal and -shm files and their directory, then restart'],
  10: failed,
  11: ['misconfigured', 'the file is damaged: stop the service; restore a backup, or run sqlite3 FILE .recover'],
  13: full,
  14: ['misconfigured', 'let the service write to the file and its directory, or set another path'],
  15: locked,
  18: ['refused'],
  19: ['refused'],
  26: ['misconfigured', 'the path leads to a file of another kind: set another path, or restore a backup'],
  EACCES: denied,
  EDQUOT: full,
  EEXIST: denied,
  EFBIG: tooLarge,
  EIO: failed,
  ENOSPC: full,
  ENOTDIR: denied,
  EPERM: denied,
  EROFS: denied,
};

/** An error that crosses processes: its kind and its message. */
export interface SerializedError {
  readonly kind: keyof typeof errorClasses;
  readonly message: string;
}

/** Serializes an error by its kind, the more specific one first, and its message. */
export function serializeError(error: unknown): SerializedError {
  const kinds = ['misconfigured', 'unavailable', 'refused'] as const;
  const kind = kinds.find((each) => errorClasses[each].is(error)) ?? 'other';
  return { kind, message: error instanceof Error ? error.message : String(error) };
}

/** Makes the error again, without its cause and stack. */
export function deserializeError({ kind, message }: SerializedError): Error {
  return new errorClasses[kind](message);
}

const errorClasses = {
  misconfigured: StoreMisconfigured,
  unavailable: StoreUnavailable,
  refused: PlantRefused,
  other: Error,
};
