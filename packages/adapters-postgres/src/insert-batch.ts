import type { AddResult, NewPlant } from '@plant-store/domain';
import type { Outcome } from '@plant-store/group-commit';
import { added } from '@plant-store/sql-store';
import type { Database } from './driver/database.ts';
import { isLockTimeout, refusesPlant } from './errors.ts';
import { type Inserted, insertEach } from './insert-each.ts';
import { insert, notStored } from './statements.ts';

/**
 * Inserts the plants, whose ids all differ, whose ids are free. The others conflict.
 *
 * @param mayWait false: each on its own, which hardly waits for locks.
 * @throws what PostgreSQL reports; then none was inserted.
 */
export async function insertBatch(
  db: Database,
  plants: readonly NewPlant[],
  mayWait: boolean,
): Promise<readonly Outcome<AddResult>[]> {
  const { ids, refused } = await (mayWait ? insertIfAbsent(db, plants) : insertEach(db.kysely, plants));
  return plants.map(({ id }) => {
    if (ids.has(id)) return added;
    const error = refused.get(id);
    return error ? { refused: error } : 'conflict';
  });
}

/**
 * With one statement and one commit, as long as the server refuses none. Nothing waits for long on the server: if another
 * session keeps an UPDATE, a DELETE or an INSERT of one of their rows open, that costs a moment, a read, and another insert
 * without the plants that are stored or locked.
 */
async function insertIfAbsent(db: Database, plants: readonly NewPlant[]): Promise<Inserted> {
  // Every writer locks ids in the same order: two writers may wait for one another, but never deadlock.
  const rows = plants.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  try {
    return { ids: new Set(await insert(db.statements, rows)), refused: new Map() };
  } catch (error) {
    if (isLockTimeout(error)) {
      const left = await notStored(db.statements, rows);
      // If all are left, another session is inserting one of them, and only trying each shows which.
      return left.length < rows.length ? insertIfAbsent(db, left) : insertEach(db.kysely, rows);
    }
    if (rows.length === 1 || !refusesPlant(error)) throw error;
    // If that fails, the batch is refused, and group-commit writes it again in parts.
    return insertEach(db.kysely, rows).catch(() => Promise.reject(error));
  }
}
