import type { Outcome } from '@plant-store/group-commit';
import type { AnyResult, Table } from '@plant-store/sql-store';
import type { Statements } from './statements.ts';

/**
 * Makes the function that inserts records, whose keys all differ, whose keys are free. Where a key is taken, or another
 * session is inserting a record with it, that costs a read, and another insert without those. What cannot be read and locks all the same, such as a
 * row that another session is deleting, is for group-commit to find in parts.
 *
 * @param deadline by `performance.now()`: nothing more is begun after it.
 * @param mayWait false: all or none, without waiting; but for a locked gap on MySQL.
 * @throws what the server reports of anything else; what was inserted by then stays.
 */
export function insertBatchInto<Item extends object, Key extends bigint | string, Result extends AnyResult>(
  { added, keyOf }: Table<Item, Key, Result>,
  { insert, notStored }: Statements<Item, Key, Result>,
) {
  return async (items: readonly Item[], deadline: number, mayWait: boolean): Promise<readonly Outcome<Result>[]> => {
    if (!mayWait) {
      const outcome = (await insert(items, false)) === 'all' ? added : 'split';
      return items.map(() => outcome);
    }
    let left = items;
    let outcome: Outcome<Result> = 'conflict';
    for (let attempt = 0; attempt < ATTEMPTS && left.length > 0 && performance.now() < deadline; attempt += 1) {
      const inserted = await insert(left, true);
      if (inserted === 'all') {
        outcome = added;
        break;
      }
      const free = new Set(await notStored(left.map(keyOf)));
      left = left.filter((item) => free.has(keyOf(item)));
      if (inserted === 'locked') {
        outcome = 'split';
        break;
      }
    }
    const those = new Set(left);
    return items.map((item) => (those.has(item) ? outcome : 'conflict'));
  };
}

/** 3: each attempt leaves out what is taken by then; what is left after them is settled later, beside other batches. */
const ATTEMPTS = 3;
