import type { AddResult, PlantRepository } from '@plant-store/domain';
import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';
import type { Session } from './session.ts';

/** Adds plants one after the other, each in a transaction of its own. */
export function addPlant(session: Session): PlantRepository['add'] {
  // What is stored is read from the plant at once: the caller may change its object while it waits.
  return async ({ id, name, tag = null }) => session.run((db) => addRow(db, { id, name, tag }));
}

async function addRow(db: Kysely<Schema>, row: Schema['plants']): Promise<AddResult> {
  const added = await db
    .insertInto('plants')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (added) return { outcome: 'added' };

  // Reading is enough, nothing need be written before it is answered: in this file whatever can be read is synced.
  // A commit is shown to readers after its sync (synchronous = FULL); `database-file.ts` sees to the one exception.
  const existing = await db.selectFrom('plants').select(['name', 'tag']).where('id', '=', row.id).executeTakeFirst();
  // Between the two statements somebody deleted the plant by hand: the id is free again.
  if (!existing) return addRow(db, row);
  const { name, tag } = existing;
  return { outcome: 'exists', plant: tag === null ? { name } : { name, tag } };
}
