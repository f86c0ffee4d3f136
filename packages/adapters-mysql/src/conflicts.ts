import type { NewPlant } from '@plant-store/domain';
import { exists, type PlantEngine } from '@plant-store/sql-store';
import type { Connections } from './driver/connections.ts';
import { findPlants, occupiedIds } from './statements.ts';

/**
 * Settles plants whose ids are taken with the plant that has the id. One that is not stored was deleted by hand, and its id
 * is free again; or another session is still inserting it. Those whose rows another session has locked are left.
 */
export async function settleConflicts(
  connections: Connections,
  plants: readonly NewPlant[],
  done: Parameters<Required<PlantEngine>['settle']>[2],
): Promise<void> {
  const found = await findPlants(connections, plants);
  for (const [id, plant] of found) done(id, exists(plant));
  if (found.size === plants.length) return;
  const left = plants.filter(({ id }) => !found.has(id));
  const occupied = await occupiedIds(connections, left);
  for (const { id } of left) if (!occupied.has(id)) done(id, 'absent');
}
