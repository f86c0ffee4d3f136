import type { AddResult, NewPlant } from '@plant-store/domain';
import type { Kysely } from 'kysely';
import { isLockTimeout, refusesPlant } from './failures.ts';
import { type Inserted, insertEach } from './insert-each.ts';
import type { Schema } from './schema.ts';
import { idsThere, insert, insertUnlessHeld } from './statements.ts';

/**
 * Inserts plants, whose ids all differ, where their ids are free: with one statement and one commit, as long as the server
 * refuses none. What is done to the rows of the others does not keep anybody waiting: an UPDATE or DELETE of one of them
 * that is open for long costs a moment, and a read and another insert without those that are there.
 *
 * @throws what PostgreSQL reports; then none was inserted.
 */
export async function insertFree(db: Kysely<Schema>, plants: readonly NewPlant[]): Promise<Inserted> {
  // Every writer takes its ids in the same order: two that meet on two of them wait for one another, but never in a ring.
  const rows = plants.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  try {
    return { free: new Set(await insertUnlessHeld(db, rows).catch(withoutThoseThere)), refused: new Map() };
  } catch (error) {
    if (rows.length === 1 || !refusesPlant(error)) throw error;
    // Where it cannot be done that way, the batch is refused, and written again in parts.
    return insertEach(db, rows).catch(() => Promise.reject(error));
  }

  async function withoutThoseThere(error: unknown): Promise<readonly bigint[]> {
    if (!isLockTimeout(error)) throw error;
    const there = await idsThere(db, rows);
    return insert(
      db,
      rows.filter(({ id }) => !there.has(id)),
    );
  }
}

export const added: AddResult = { outcome: 'added' };
