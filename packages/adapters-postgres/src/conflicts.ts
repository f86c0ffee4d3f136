import type { AddResult, NewPlant, Plant } from '@plant-store/domain';
import type { Database } from './driver/database.ts';
import { added } from './insert-batch.ts';
import { type Inserted, insertEach } from './insert-each.ts';
import { lockSkipLocked, notStored } from './statements.ts';

/** What settling conflicts takes. None of it waits for locks. */
export interface Rows {
  lockSkipLocked(plants: readonly NewPlant[]): Promise<ReadonlyMap<bigint, Plant>>;
  notStored(plants: readonly NewPlant[]): Promise<readonly NewPlant[]>;
  insertEach(plants: readonly NewPlant[]): Promise<Inserted>;
}

/** For plain PostgreSQL. */
export function rowsOf({ statements, kysely }: Database): Rows {
  return {
    lockSkipLocked: (plants) => lockSkipLocked(statements, plants),
    notStored: (plants) => notStored(statements, plants),
    insertEach: (plants) => insertEach(kysely, plants),
  };
}

/**
 * Settles plants whose ids are taken, each as soon as possible, with the plant that has the id. Those whose rows another
 * session has locked are left.
 *
 * @param settle is called with the outcome of each, or with the error with which the server refuses it.
 */
export async function resolveConflicts(
  rows: Rows,
  plants: readonly NewPlant[],
  settle: (id: bigint, result: AddResult | Error) => void,
): Promise<void> {
  const found = await rows.lockSkipLocked(plants);
  for (const [id, plant] of found) settle(id, { outcome: 'exists', plant });
  if (found.size === plants.length) return;

  // What is not stored was deleted by hand, and its id is free again; or another session is still inserting it.
  const left = plants.filter(({ id }) => !found.has(id));
  const { ids, refused } = await rows.insertEach(await rows.notStored(left));
  for (const id of ids) settle(id, added);
  for (const [id, error] of refused) settle(id, error);
}
