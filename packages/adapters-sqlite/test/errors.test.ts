import { PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { NOT_MIGRATED } from '@plant-store/store-kit';
import { expect, test } from 'vitest';
import { deserializeError, isLocked, serializeError, translateError } from '../src/errors.ts';

/** What node:sqlite throws, or a call to the file system. */
function reported(code: number | string, message = 'a reason'): Error {
  const properties = typeof code === 'string' ? { code, syscall: 'open' } : { code: 'ERR_SQLITE_ERROR', errcode: code };
  return Object.assign(new Error(message), properties);
}

test.each<
  [what: string, code: number | string, Failure: new (message: string) => Error, message: string, reason?: string]
>([
  ['SQLITE_BUSY_RECOVERY', 261, StoreUnavailable, 'another process keeps the file locked: let it finish or end it'],
  ['SQLITE_READONLY_DBMOVED', 1_032, StoreMisconfigured, 'let the service write to the file, its -wal and -shm files'],
  ['SQLITE_NOLFS', 22, StoreUnavailable, '(SQLite code 22); plant-store does not know this error: look it up at'],
  ['SQLITE_CONSTRAINT_TRIGGER', 1_811, PlantRefused, 'a reason (SQLite code 1811)'],
  ['no such table', 1, StoreUnavailable, `(SQLite code 1); ${NOT_MIGRATED}`, 'no such table: plants'],
  ['no space', 'ENOSPC', StoreUnavailable, 'a reason (ENOSPC); the disk is full: free space on it'],
  ['a missing permission', 'EACCES', StoreMisconfigured, 'let the service write there, or set another path'],
  ['another failure of the system', 'EMFILE', StoreUnavailable, 'a reason (EMFILE); plant-store does not know this'],
])('%s says what to do about it', (_, code, Failure, message, reason = 'a reason') => {
  const error = translateError(reported(code, reason), '/nowhere/plants.db') as Error;
  expect([error.constructor, error.message]).toEqual([
    Failure,
    expect.stringContaining(`/nowhere/plants.db: ${reason}`),
  ]);
  expect(error.message).toContain(message);
  // As it comes from the writer.
  const returned = deserializeError(structuredClone(serializeError(error)));
  expect([returned.constructor, returned.message]).toEqual([Failure, error.message]);
});

test.each([
  ['in the SQL', reported(1, 'near "selct": syntax error')],
  ['that nobody has reported', Object.assign(new Error('no such table'), { code: 'ENOENT' })],
  ['that is none', { code: 'ERR_SQLITE_ERROR', errcode: 5 }],
])('an error %s is a defect: it comes back as it is', (_, error) => {
  expect(translateError(error, 'plants.db')).toBe(error);
  expect(serializeError(error).kind).toBe('other');
  expect(isLocked(error)).toBe(false);
});

test('what another connection has locked is told by the lowest byte of its code', () => {
  expect([5, 517, 6].map((code) => isLocked(reported(code)))).toEqual([true, true, false]);
});
