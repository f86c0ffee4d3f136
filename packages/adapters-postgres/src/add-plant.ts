import { type AddResult, type NewPlant, StoreUnavailable } from '@plant-store/domain';
import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/** Adds a plant, and starts no other statement once the signal is aborted. */
export type AddPlant = (plant: NewPlant, signal: AbortSignal) => Promise<AddResult>;

/** Adds every plant with a statement and a commit of its own. */
export function addPlant(db: Kysely<Schema>): AddPlant {
  // What is stored is read from the plant at once: the caller may change its object while it waits.
  return async ({ id, name, tag = null }, signal) =>
    db.connection().execute((connection) => addRow(connection, { id, name, tag }, signal));
}

/** A row that is taken and then gone was deleted by hand in between; three times running is no coincidence. */
const MAX_ATTEMPTS = 3;

async function addRow(db: Kysely<Schema>, row: Schema['plants'], signal: AbortSignal): Promise<AddResult> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    signal.throwIfAborted();
    const added = await db
      .insertInto('plants')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst();
    if (added) return { outcome: 'added' };

    signal.throwIfAborted();
    // The lock is a write: its commit waits for the standbys as the row's own had to. Reading alone would answer with
    // a row whose wait was cancelled, and which is lost when a standby takes over.
    const existing = await db
      .selectFrom('plants')
      .select(['name', 'tag'])
      .where('id', '=', row.id)
      .forKeyShare()
      .executeTakeFirst();
    if (existing) return { outcome: 'exists', plant: plantOf(existing) };
  }
  throw new StoreUnavailable(`plant ${row.id} is there and gone again: something deletes it while it is being added`);
}

function plantOf({ name, tag }: { readonly name: string; readonly tag: string | null }) {
  return tag === null ? { name } : { name, tag };
}
