import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { NOT_MIGRATED } from '@plant-store/store-kit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { errorOf, failureOf, isLocked, translateError } from '../src/errors.ts';

/** What node:sqlite throws, or a call to the file system. */
function reported(code: number | string, message = 'a reason'): Error {
  const properties = typeof code === 'string' ? { code, syscall: 'open' } : { code: 'ERR_SQLITE_ERROR', errcode: code };
  return Object.assign(new Error(message), properties);
}

test.each<[what: string, code: number | string, Failure: new (message: string) => Error, message: string]>([
  ['SQLITE_BUSY_RECOVERY', 261, StoreUnavailable, 'another process keeps the file locked: let it finish or end it'],
  ['SQLITE_PROTOCOL', 15, StoreUnavailable, 'another process keeps the file locked: let it finish or end it'],
  ['SQLITE_NOMEM', 7, StoreUnavailable, 'the process is out of memory: give it more'],
  ['SQLITE_READONLY_DBMOVED', 1_032, StoreMisconfigured, 'let the service write to the file, its -wal and -shm files'],
  ['SQLITE_IOERR_READ', 266, StoreUnavailable, 'the disk failed: check the kernel log and the file system'],
  ['SQLITE_CORRUPT', 11, StoreMisconfigured, 'the file is damaged: stop the service; restore a backup, or run sqlite3'],
  ['SQLITE_FULL', 13, StoreUnavailable, 'the disk is full: free space on it'],
  ['SQLITE_CANTOPEN', 14, StoreMisconfigured, 'let the service write to the file and its directory'],
  ['SQLITE_NOTADB', 26, StoreMisconfigured, 'the path leads to a file of another kind: set another path, or restore'],
  ['SQLITE_NOLFS', 22, StoreUnavailable, '(SQLite code 22); plant-store does not know this error: look it up at'],
  ['SQLITE_CONSTRAINT_TRIGGER', 1_811, PlantRefused, 'a reason (SQLite code 1811)'],
  ['SQLITE_TOOBIG', 18, PlantRefused, 'a reason (SQLite code 18)'],
  ['no space', 'ENOSPC', StoreUnavailable, 'a reason (ENOSPC); the disk is full: free space on it'],
  ['no space of the user', 'EDQUOT', StoreUnavailable, 'the disk is full: free space on it'],
  ['a disk that fails', 'EIO', StoreUnavailable, 'the disk failed: check the kernel log and the file system'],
  ['a missing permission', 'EACCES', StoreMisconfigured, 'let the service write there, or set another path'],
  ['a file in place of a directory', 'ENOTDIR', StoreMisconfigured, 'let the service write there, or set another path'],
  ['another failure of the system', 'EMFILE', StoreUnavailable, 'a reason (EMFILE); plant-store does not know this'],
])('%s says what to do about it', (_, code, Failure, message) => {
  const error = translateError(reported(code), '/nowhere/plants.db') as Error;
  expect([error.constructor, error.message]).toEqual([
    Failure,
    expect.stringContaining(`/nowhere/plants.db: a reason`),
  ]);
  expect(error.message).toContain(message);
  // As it comes from the writer.
  const returned = errorOf(structuredClone(failureOf(error)));
  expect([returned.constructor, returned.message]).toEqual([Failure, error.message]);
});

test.each(['no such table: plants', 'no such column: tag'])('a file that is not migrated: %s', (message) => {
  const error = translateError(reported(1, message), 'plants.db');
  expect(error).toEqual(new StoreUnavailable(`plants.db: ${message} (SQLite code 1); ${NOT_MIGRATED}`));
});

test.each([
  ['in the SQL', reported(1, 'near "selct": syntax error')],
  ['that nobody has reported', Object.assign(new Error('no such table'), { code: 'ENOENT' })],
  ['that is none', { code: 'ERR_SQLITE_ERROR', errcode: 5 }],
])('an error %s is a defect: it comes back as it is', (_, error) => {
  expect(translateError(error, 'plants.db')).toBe(error);
  expect(failureOf(error).kind).toBe('other');
  expect(isLocked(error)).toBe(false);
});

test.each([
  ['full', { blocks: 1_000, bavail: 15 }, ['disk is full', 'disk is full', 'damaged']],
  ['of no size', { blocks: 0, bavail: 0 }, ['disk failed', 'let the service write', 'damaged']],
])('a disk that is %s is told from a failed one, whatever SQLite reports', (_, blocks, texts) => {
  const spy = vi.spyOn(fs, 'statfsSync').mockReturnValue({ ...blocks, bsize: 4_096 } as fs.StatsFs);
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
  const messages = [10, 14, 11].map((code) => String(translateError(reported(code), 'plants.db')));
  expect(messages).toEqual(texts.map((text) => expect.stringContaining(text)));
});

test.each([
  [5, true],
  [517, true],
  [15, true],
  [6, false],
])('code %d is a lock of another connection: %s', (code, expected) => {
  expect(isLocked(reported(code))).toBe(expected);
});
