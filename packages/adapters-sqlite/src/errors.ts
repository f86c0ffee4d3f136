import { describeCodes, type ErrorRow, type StoreErrors, storeErrors } from '@plant-store/store-kit';

/** Translates the errors of SQLite and of the file system. All others are defects. */
export function sqliteErrors(path: string): StoreErrors {
  return storeErrors(path, findRow, withoutPlants);
}

function findRow(error: unknown): ErrorRow {
  const code = readCode(error);
  if (code === undefined) return ['defect'];
  // Code 1 is an error in the SQL. In the table's own, such as a trigger, it may depend on the plant.
  if (code === 1) return messages.find(([message]) => message.test((error as Error).message))?.[1] ?? ['refused'];
  return rows[code] ?? ['unavailable', 'see https://sqlite.org/rescode.html, or errno(3)'];
}

/** Whether another connection holds the lock. */
export const isLocked = (error: unknown): boolean => readCode(error) === 5;

/** The primary result code of SQLite, which is the lowest byte, or the code of the file system. */
function readCode(error: unknown): number | string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('errcode' in error) return Number(error.errcode) & 0xff;
  return 'syscall' in error && 'code' in error ? String(error.code) : undefined;
}

/** Names the result code, because all errors of node:sqlite have the same code. The message of a trigger may quote the plant. */
function withoutPlants(error: Error): Error {
  if (!('errcode' in error)) return error;
  const message = findRow(error)[0] === 'refused' ? 'a constraint or trigger refuses the plant' : error.message;
  return Object.assign(new Error(message), { errcode: error.errcode, code: `SQLite code ${error.errcode}` });
}

/** By the beginning of the messages of code 1, because the rest may quote a plant. */
const messages: readonly (readonly [RegExp, ErrorRow])[] = [
  [/^no such table/, ['missing']],
  [
    /^(table .+ (has no column|may not be)|no such column|cannot modify|ON CONFLICT clause does not match)/,
    ['misconfigured', 'the table plants differs from the one that the migrations create'],
  ],
];

const DENIED = 'let the service write to the file, its -wal and -shm files and their directory, or set another path';

/** By the result code of SQLite (https://sqlite.org/rescode.html) or of the file system. */
const rows: Readonly<Record<string, ErrorRow>> = {
  ...describeCodes([5, 6, 15], 'transient', 'another process has locked the file: wait for it or end it (see fuser)'),
  ...describeCodes([8, 14, 'EACCES', 'EEXIST', 'EISDIR', 'ENOTDIR', 'EPERM', 'EROFS'], 'misconfigured', DENIED),
  11: ['misconfigured', 'the file is damaged: stop the service; restore a backup, or run sqlite3 FILE .recover'],
  ...describeCodes([18, 19, 20], 'refused'),
  26: ['misconfigured', 'the path leads to a file of another kind: set another path, or restore a backup'],
};
