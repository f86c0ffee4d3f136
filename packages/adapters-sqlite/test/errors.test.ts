import { PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { describe, expect, test } from 'vitest';
import { diskFull, isDiskFull, isLocked, translateError } from '../src/errors.ts';
import { errorOf, failureOf } from '../src/writer/messages.ts';

/** What node:sqlite throws. */
function sqliteError(errcode: number, message = 'refused'): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode });
}

const path = '/nowhere/plants.sqlite';
const locked = 'another process keeps the file locked: let it finish or end it (fuser shows which)';
const notMigrated = 'the file is not migrated: run the migrations';
const permissions = 'let the service write to the file, its -wal and -shm files and their directory, then restart it';

describe('an error of SQLite says what to do about it', () => {
  test.each([
    ['SQLITE_BUSY', 5, StoreUnavailable, locked],
    ['SQLITE_BUSY_RECOVERY', 261, StoreUnavailable, locked],
    ['SQLITE_PROTOCOL', 15, StoreUnavailable, locked],
    ['SQLITE_NOMEM', 7, StoreUnavailable, 'the process is out of memory: give it more'],
    ['SQLITE_READONLY_DBMOVED', 1_032, StoreMisconfigured, permissions],
    ['SQLITE_IOERR_READ', 266, StoreUnavailable, 'the disk failed: check the kernel log and the file system'],
    [
      'SQLITE_CORRUPT',
      11,
      StoreMisconfigured,
      'the file is damaged: stop the service, then restore a backup or salvage it (sqlite3 FILE .recover)',
    ],
    ['SQLITE_FULL', 13, StoreUnavailable, 'the disk is full: free space on it'],
    [
      'SQLITE_CANTOPEN',
      14,
      StoreMisconfigured,
      'check that the path leads to a file and that the service may read and write it and its directory',
    ],
    [
      'SQLITE_NOTADB',
      26,
      StoreMisconfigured,
      'the path leads to a file of another kind: set another path, or restore a backup',
    ],
    ['SQLITE_NOLFS', 22, StoreUnavailable, 'look the code up at https://sqlite.org/rescode.html'],
  ])('%s', (_, code, Failure, hint) => {
    const cause = sqliteError(code);
    const error = translateError(cause, path);
    expect(error).toStrictEqual(new Failure(`${path}: refused (SQLite code ${code}); ${hint}`, { cause }));
  });

  test.each([
    ['SQLITE_CONSTRAINT_TRIGGER', 1_811],
    ['SQLITE_TOOBIG', 18],
  ])('or that it refuses the plant: %s', (_, code) => {
    const cause = sqliteError(code);
    const error = translateError(cause, path);
    expect(error).toStrictEqual(new PlantRefused(`${path}: refused (SQLite code ${code})`, { cause }));
  });

  test.each(['no such table: plants', 'no such column: tag', 'table plants has no column named tag'])(
    '%s',
    (message) => {
      const error = translateError(sqliteError(1, message), path);
      expect(error).toEqual(new StoreUnavailable(`${path}: ${message} (SQLite code 1); ${notMigrated}`));
    },
  );

  test.each([
    ['in the SQL', sqliteError(1, 'near "selct": syntax error')],
    ['that is not SQLite’s', Object.assign(new Error('no such table'), { code: 'ENOENT', errcode: 5 })],
    ['that is none', { code: 'ERR_SQLITE_ERROR', errcode: 5 }],
    ['without a result code', Object.assign(new Error('closed'), { code: 'ERR_SQLITE_ERROR' })],
  ])('but not one %s: it comes back as it is, and is no lock', (_, error) => {
    expect(translateError(error, path)).toBe(error);
    expect(isLocked(error)).toBe(false);
  });

  test('SQLITE_IOERR where there is space', () => {
    expect(translateError(sqliteError(10), import.meta.filename)).toHaveProperty(
      'message',
      expect.stringContaining('the disk failed'),
    );
  });

  // Where nothing can be stored, the file system says that it has no space.
  test.runIf(process.platform === 'linux')('SQLITE_IOERR where the disk is full', () => {
    expect(translateError(sqliteError(10), '/proc/plants.sqlite')).toHaveProperty(
      'message',
      '/proc/plants.sqlite: refused (SQLite code 10); the disk is full: free space on it',
    );
    expect(translateError(sqliteError(11), '/proc/plants.sqlite')).toHaveProperty(
      'message',
      expect.stringContaining('the file is damaged'),
    );
  });
});

test.each([
  [5, true],
  [517, true],
  [15, true],
  [6, false],
  [13, false],
])('code %d is a lock of another connection: %s', (code, expected) => {
  expect(isLocked(sqliteError(code))).toBe(expected);
});

test('a full disk, or the user’s share of it, is told from other failures of the file system', () => {
  const [full, quota, other] = ['ENOSPC', 'EDQUOT', 'EACCES'].map((code) => Object.assign(new Error(code), { code }));
  expect([full, quota, other, new Error('ENOSPC'), { code: 'ENOSPC' }].map(isDiskFull)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
  const error = diskFull(path, full);
  expect(error).toEqual(new StoreUnavailable(`${path}: the disk is full: free space on it`, { cause: full }));
});

describe('an error comes back from the writer as it was', () => {
  const cause = sqliteError(5, 'locked');
  test.each([
    new StoreUnavailable('locked', { cause }),
    new StoreMisconfigured('locked', { cause }),
    new StoreUnavailable('without a cause'),
    new PlantRefused('a constraint', { cause }),
    cause,
  ])('$constructor.name: $message', (error) => {
    const returned = errorOf(structuredClone(failureOf(error)));
    expect(returned).toStrictEqual(error);
    expect(returned).toHaveProperty('stack', error.stack);
    expect('cause' in returned).toBe('cause' in error);
  });

  test('and what is none becomes one', () => {
    expect(errorOf(failureOf('a text'))).toEqual(new Error('a text'));
  });
});
