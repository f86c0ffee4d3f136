import type { AddResult, NewPlant } from '@plant-store/domain';
import type { Kysely } from 'kysely';
import { isLockTimeout } from './failures.ts';
import type { Schema } from './schema.ts';
import { idsThere, insert, insertUnlessHeld } from './statements.ts';

/**
 * Inserts plants, whose ids all differ, where their ids are free: with one statement and one commit, all of them or none.
 * What is done to the rows of the others does not keep anybody waiting: an UPDATE or DELETE of one of them that is open
 * for long costs a moment, and a read and another insert without those that are there.
 *
 * @returns the ids that were inserted.
 */
export async function insertFree(db: Kysely<Schema>, plants: readonly NewPlant[]): Promise<ReadonlySet<bigint>> {
  // Every writer takes its ids in the same order: two that meet on two of them wait for one another, but never in a ring.
  const rows = plants.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  try {
    return new Set(await insertUnlessHeld(db, rows));
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    const there = await idsThere(db, rows);
    return new Set(
      await insert(
        db,
        rows.filter(({ id }) => !there.has(id)),
      ),
    );
  }
}

export const added: AddResult = { outcome: 'added' };
