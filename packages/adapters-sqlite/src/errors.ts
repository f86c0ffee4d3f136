import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { type ErrorRow, NOT_MIGRATED, storeErrors } from '@plant-store/store-kit';

/**
 * What to throw for a failure of the file, with what the operator can do about it. What neither SQLite nor the file system
 * has reported is a defect, as an error in the SQL is: it comes back as it is.
 */
export function translateError(error: unknown, path: string): unknown {
  return storeErrors(path, () => rowOf(error, path), withResultCode).translate(error);
}

/** Whether another connection holds the lock, so that a later attempt may succeed. */
export function isLocked(error: unknown): boolean {
  return rows[codeOf(error) ?? ''] === locked;
}

function rowOf(error: unknown, path: string): ErrorRow {
  const code = codeOf(error);
  if (code === undefined || (code === 1 && !notMigrated.test(String(error)))) return ['defect'];
  // SQLite reports a full disk as another failure where it is about to make a file.
  if ((code === 10 || code === 14) && isOnFullDisk(path)) return full;
  return rows[code] ?? unknown;
}

/** What SQLite has reported, the lowest byte of its extended result code, or what the file system has. */
function codeOf(error: unknown): number | string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('errcode' in error) return Number(error.errcode) & 0xff;
  return 'syscall' in error && 'code' in error ? String(error.code) : undefined;
}

/** All errors of node:sqlite have the same `code`. */
function withResultCode(error: Error): Error {
  return 'errcode' in error ? Object.assign(error, { code: `SQLite code ${error.errcode}` }) : error;
}

/** Whether there is no space for the index of a log: it is made with 32 KiB, and some pages need no more. */
function isOnFullDisk(path: string): boolean {
  try {
    const { blocks, bavail, bsize } = statfsSync(dirname(path));
    // A file system such as /proc has none at all.
    return blocks > 0 && bavail * bsize < 64 * 1024;
  } catch {
    return false;
  }
}

/** Every other error of code 1 is an error in the SQL: a defect, which must not pass for an outage. */
const notMigrated = /no such (table|column)/;

const unknown: ErrorRow = [
  'unavailable',
  'plant-store does not know this error: look it up at https://sqlite.org/rescode.html, or in errno(3)',
];
const locked: ErrorRow = ['unavailable', 'another process keeps the file locked: let it finish or end it (see fuser)'];
const full: ErrorRow = ['unavailable', 'the disk is full: free space on it'];
const failed: ErrorRow = ['unavailable', 'the disk failed: check the kernel log and the file system'];
const denied: ErrorRow = ['misconfigured', 'let the service write there, or set another path'];

/** By SQLite's result code (https://sqlite.org/rescode.html), or by that of the file system. */
const rows: Readonly<Record<string, ErrorRow>> = {
  1: ['unavailable', NOT_MIGRATED],
  5: locked,
  7: ['unavailable', 'the process is out of memory: give it more'],
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
  EIO: failed,
  ENOSPC: full,
  ENOTDIR: denied,
  EPERM: denied,
  EROFS: denied,
};

/** An error as one process tells it to another: its class and its message. */
export interface Failure {
  readonly kind: keyof typeof classes;
  readonly message: string;
}

export function serializeError(error: unknown): Failure {
  const kinds = Object.keys(classes) as (keyof typeof classes)[];
  const kind = kinds.find((each) => error instanceof classes[each]) ?? 'other';
  return { kind, message: error instanceof Error ? error.message : String(error) };
}

export function deserializeError({ kind, message }: Failure): Error {
  return new classes[kind](message);
}

/** A class comes before those that it extends. */
const classes = {
  misconfigured: StoreMisconfigured,
  unavailable: StoreUnavailable,
  refused: PlantRefused,
  other: Error,
};
