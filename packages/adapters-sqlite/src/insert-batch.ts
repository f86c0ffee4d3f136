import type { AddResult, NewPlant } from '@plant-store/domain';
import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';
import { insert, read } from './statements.ts';

/**
 * Inserts the plants, whose ids all differ, whose ids are free, with one statement and one commit; taken ids cost a
 * read.
 *
 * @returns the outcome of each, in the order of the plants.
 */
export async function insertIfAbsent(db: Kysely<Schema>, plants: readonly NewPlant[]): Promise<readonly AddResult[]> {
  const inserted = await insert(db, plants);
  const taken = plants.filter(({ id }) => !inserted.has(id));
  if (taken.length === 0) return plants.map(() => added);

  // Reading is enough: in this file, whatever can be read is synced. A commit becomes visible after its sync
  // (synchronous = FULL); `driver/database.ts` handles the one exception.
  const existing = await read(db, taken);
  const gone = taken.filter(({ id }) => !existing.has(id));
  // Deleted by hand between the two statements: their ids are free again.
  const again = new Map(
    (await (gone.length > 0 ? insertIfAbsent(db, gone) : [])).map((result, at) => [gone[at]?.id, result]),
  );
  return plants.map(({ id }) => {
    const plant = existing.get(id);
    return plant ? { outcome: 'exists', plant } : (again.get(id) ?? added);
  });
}

const added: AddResult = { outcome: 'added' };
