import { PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { expect, test } from 'vitest';
import { sqliteErrors } from '../src/errors.ts';

const { translate, classify } = sqliteErrors('/missing/plants.db');

/** Makes an error of node:sqlite or of the file system. */
function makeError(code: number | string, message = 'a reason'): Error {
  const properties = typeof code === 'string' ? { code, syscall: 'open' } : { code: 'ERR_SQLITE_ERROR', errcode: code };
  return Object.assign(new Error(message), properties);
}

test.each<
  [what: string, code: number | string, Failure: new (message: string) => Error, hint: string, reason?: string]
>([
  ['SQLITE_BUSY_RECOVERY', 261, StoreUnavailable, 'another process has locked the file: wait for it or end it'],
  ['SQLITE_READONLY_DBMOVED', 1_032, StoreMisconfigured, 'let the service write to the file'],
  ['SQLITE_NOLFS', 22, StoreUnavailable, '(SQLite code 22); see https'],
  ['SQLITE_CONSTRAINT_TRIGGER', 1_811, PlantRefused, 'a constraint or trigger refuses the plant', 'no Fern'],
  ['an error of a trigger', 1, PlantRefused, 'a constraint or trigger refuses the plant', 'malformed JSON: Fern'],
  ['no such table', 1, StoreUnavailable, 'run the migrations', 'no such table: plants'],
  ['no such column', 1, StoreMisconfigured, 'differs from the one', 'table plants has no column named tag'],
  ['no space', 'ENOSPC', StoreUnavailable, '(ENOSPC); see https'],
  ['a missing permission', 'EACCES', StoreMisconfigured, 'or set another path'],
  ['another failure of the system', 'EMFILE', StoreUnavailable, '(EMFILE); see https'],
])('%s says what to do, and shows no plant', (_, code, Failure, hint, reason) => {
  const error = translate(makeError(code, reason));
  expect(error.constructor).toBe(Failure);
  expect(error.message).toMatch(/^\/missing\/plants\.db: (?!.*Fern)/);
  expect(error.message).toContain(hint);
});

test.each([5, 517])('the lock of another connection, code %d, is transient', (code) => {
  expect(classify(makeError(code))).toBe('transient');
});

test('an error of neither is a defect, and returned unchanged', () => {
  const error = Object.assign(new Error('no such table'), { code: 'ENOENT' });
  expect(translate(error)).toBe(error);
});
