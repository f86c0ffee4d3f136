import type { Outcome } from '@plant-store/group-commit';
import type { AnyResult, Table, Tables } from '@plant-store/sql-store';
import type { Kysely } from 'kysely';
import { isLockTimeout, refusesPlant } from './errors.ts';
import { type Inserted, insertEachInto } from './insert-each.ts';
import type { Statements } from './statements.ts';

/**
 * Makes the function that inserts records, whose keys all differ, whose keys are free. The others conflict.
 *
 * @param mayWait false: each on its own, which hardly waits for locks.
 * @throws what PostgreSQL reports; then none was inserted.
 */
export function insertBatchInto<Item extends object, Key extends bigint | string, Result extends AnyResult>(
  table: Table<Item, Key, Result>,
  { insert, notStored }: Statements<Item, Key, Result>,
  kysely: Kysely<Tables>,
) {
  const insertEach = insertEachInto(table, kysely);

  /**
   * With one statement and one commit, as long as the server refuses none. Nothing waits for long on the server: if another
   * session keeps an UPDATE, a DELETE or an INSERT of one of their rows open, that costs a moment, a read, and another insert
   * without the records that are stored or locked.
   */
  async function insertIfAbsent(items: readonly Item[]): Promise<Inserted<Key>> {
    const rows = table.sorted(items);
    try {
      return { keys: new Set(await insert(rows)), refused: new Map() };
    } catch (error) {
      if (isLockTimeout(error)) {
        const left = await notStored(rows);
        // If all are left, another session is inserting one of them, and only trying each shows which.
        return left.length < rows.length ? insertIfAbsent(left) : insertEach(rows);
      }
      if (rows.length === 1 || !refusesPlant(error)) throw error;
      // If that fails, the batch is refused, and group-commit writes it again in parts.
      return insertEach(rows).catch(() => Promise.reject(error));
    }
  }

  return async (items: readonly Item[], _deadline: number, mayWait: boolean): Promise<readonly Outcome<Result>[]> => {
    const { keys, refused } = await (mayWait ? insertIfAbsent(items) : insertEach(items));
    return items.map((item) => {
      const key = table.keyOf(item);
      if (keys.has(key)) return table.added;
      const error = refused.get(key);
      return error ? { refused: error } : 'conflict';
    });
  };
}
