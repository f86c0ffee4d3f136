import { PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { NOT_MIGRATED } from '@plant-store/store-kit';
import { expect, test } from 'vitest';
import { deserializeError, isLocked, serializeError, translateError } from '../src/errors.ts';

/** Makes an error of node:sqlite or of the file system. */
function reported(code: number | string, message = 'a reason'): Error {
  const properties = typeof code === 'string' ? { code, syscall: 'open' } : { code: 'ERR_SQLITE_ERROR', errcode: code };
  return Object.assign(new Error(message), properties);
}

test.each<
  [what: string, code: number | string, Failure: new (message: string) => Error, message: string, reason?: string]
>([
  ['SQLITE_BUSY_RECOVERY', 261, StoreUnavailable, 'another process has locked the file: wait for it or end it'],
  ['SQLITE_READONLY_DBMOVED', 1_032, StoreMisconfigured, 'let the service write to the file, its -wal and -shm files'],
  ['SQLITE_NOLFS', 22, StoreUnavailable, '(SQLite code 22); unknown error: see'],
  ['SQLITE_CONSTRAINT_TRIGGER', 1_811, PlantRefused, 'a reason (SQLite code 1811)'],
  ['no such table', 1, StoreUnavailable, `(SQLite code 1); ${NOT_MIGRATED}`, 'no such table: plants'],
  ['no space', 'ENOSPC', StoreUnavailable, 'a reason (ENOSPC); the disk is full: free space on it'],
  ['a missing permission', 'EACCES', StoreMisconfigured, 'let the service write there, or set another path'],
  ['another failure of the system', 'EMFILE', StoreUnavailable, 'a reason (EMFILE); unknown error: see'],
])('%s says what to do about it', (_, code, Failure, message, reason = 'a reason') => {
  const error = translateError(reported(code, reason), '/missing/plants.db') as Error;
  expect([error.constructor, error.message]).toEqual([
    Failure,
    expect.stringContaining(`/missing/plants.db: ${reason}`),
  ]);
  expect(error.message).toContain(message);
  // The writer sends it to the service.
  const returned = deserializeError(structuredClone(serializeError(error)));
  expect([returned.constructor, returned.message]).toEqual([Failure, error.message]);
});

test.each([
  ['in the SQL', reported(1, 'near "selct": syntax error')],
  ['without a system call', Object.assign(new Error('no such table'), { code: 'ENOENT' })],
  ['that is not an Error', { code: 'ERR_SQLITE_ERROR', errcode: 5 }],
])('an error %s is a defect and returned unchanged', (_, error) => {
  expect(translateError(error, 'plants.db')).toBe(error);
  expect(serializeError(error).kind).toBe('other');
  expect(isLocked(error)).toBe(false);
});

test.each([
  ['unavailable', 'ERR_STORE_UNAVAILABLE'],
  ['misconfigured', 'ERR_STORE_UNAVAILABLE_MISCONFIGURED_UNSAFE'],
  ['refused', 'ERR_PLANT_REFUSED'],
])('an error that is %s crosses processes as such, whatever copy of domain made it', (kind, code) => {
  expect(serializeError(Object.assign(new Error('why'), { code }))).toEqual({ kind, message: 'why' });
});

test('the lowest byte of the code says whether another connection holds the lock', () => {
  expect([5, 517, 6].map((code) => isLocked(reported(code)))).toEqual([true, true, false]);
});
