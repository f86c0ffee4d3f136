import type { AddResult, NewPlant } from '@plant-store/domain';
import type { Kysely } from 'kysely';
import { isLockTimeout, refusesPlant } from './errors.ts';
import { type Inserted, insertEach } from './insert-each.ts';
import type { Schema } from './schema.ts';
import { insert, notStored } from './statements.ts';

/**
 * Inserts plants, whose ids all differ, where their ids are free: with one statement and one commit, as long as the server
 * refuses none. Nobody waits for long on the server: where somebody keeps an UPDATE, a DELETE or an INSERT of one of their
 * rows open, that costs a moment, a read, and another insert without those that are stored or held.
 *
 * @throws what PostgreSQL reports; then none was inserted.
 */
export async function insertIfAbsent(db: Kysely<Schema>, plants: readonly NewPlant[]): Promise<Inserted> {
  // Every writer takes its ids in the same order: two that meet on two of them wait for one another, but never in a ring.
  const rows = plants.length > 1 ? plants.toSorted((a, b) => (a.id < b.id ? -1 : 1)) : plants;
  try {
    return { ids: new Set(await insert(db, rows)), refused: new Map() };
  } catch (error) {
    if (isLockTimeout(error)) {
      const left = await notStored(db, rows);
      // Where all are left, there is no row to see: somebody is inserting it, and only trying each one tells which it is.
      return left.length < rows.length ? insertIfAbsent(db, left) : insertEach(db, rows);
    }
    if (rows.length === 1 || !refusesPlant(error)) throw error;
    // Where it cannot be done that way, the batch is refused, and written again in parts.
    return insertEach(db, rows).catch(() => Promise.reject(error));
  }
}

export const added: AddResult = { outcome: 'added' };
