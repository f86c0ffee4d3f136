import type { Outcome } from '@plant-store/group-commit';
import type { AnyResult, Table } from '@plant-store/sql-store';
import { isLockTimeout, plantRefused } from './errors.ts';
import type { Statements } from './statements.ts';

/**
 * Makes the function that inserts records, whose keys all differ, whose keys are free. Where a key is taken the record
 * conflicts. If another session keeps an UPDATE, a DELETE or an INSERT of one of the rows open, none is inserted, and
 * group-commit writes those that are not stored in parts.
 *
 * @param insert inserts those whose keys are free with one commit, in the order of the keys, and resolves with these keys.
 * @throws what PostgreSQL reports of anything but a lock; then none was inserted.
 */
export function insertBatchBy<Item extends object, Key extends bigint | string, Result extends AnyResult>(
  { keyOf, sorted, added, name, noun }: Table<Item, Key, Result>,
  insert: (items: readonly Item[], mayWait: boolean) => Promise<readonly Key[]>,
  notStored: Statements<Item, Key, Result>['notStored'],
) {
  return async (items: readonly Item[], _deadline: number, mayWait: boolean): Promise<readonly Outcome<Result>[]> => {
    try {
      const keys = new Set(await insert(sorted(items), mayWait));
      const left = items.map(keyOf).filter((key) => !keys.has(key));
      // A trigger passes over what is neither inserted, nor locked, nor there.
      const ignored = new Set(mayWait || left.length === 0 ? [] : await notStored(left));
      return items.map((item) => {
        if (keys.has(keyOf(item))) return added;
        return ignored.has(keyOf(item)) ? { refused: ignoredBy(name, noun) } : 'conflict';
      });
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (!mayWait) return items.map(() => 'split');
      const left = new Set(await notStored(items.map(keyOf)));
      return items.map((item) => (left.has(keyOf(item)) ? 'split' : 'conflict'));
    }
  };
}

function ignoredBy(table: string, noun: string): Error {
  const message = `the table ${table} ignores the ${noun}: see its triggers`;
  return plantRefused(Object.assign(new Error(message), { code: 'P0001' }));
}
