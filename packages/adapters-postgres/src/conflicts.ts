import type { NewPlant, Plant } from '@plant-store/domain';
import { exists, type PlantEngine } from '@plant-store/sql-store';

/** What settling conflicts reads. None of it waits for locks. */
export interface Rows {
  lockSkipLocked(plants: readonly NewPlant[]): Promise<ReadonlyMap<bigint, Plant>>;
  notStored(plants: readonly NewPlant[]): Promise<readonly NewPlant[]>;
}

/**
 * Settles plants whose ids are taken with the plant that has the id. One that is not stored was deleted by hand, and its id
 * is free again; or another session is still inserting it. Those whose rows another session has locked are left.
 */
export async function settleConflicts(
  rows: Rows,
  plants: readonly NewPlant[],
  done: Parameters<Required<PlantEngine>['settle']>[2],
): Promise<void> {
  const found = await rows.lockSkipLocked(plants);
  for (const [id, plant] of found) done(id, exists(plant));
  if (found.size === plants.length) return;
  for (const { id } of await rows.notStored(plants.filter(({ id }) => !found.has(id)))) done(id, 'absent');
}
