import type { AddResult, NewPlant } from '@plant-store/domain';
import type { Connections } from './driver/connections.ts';
import { refusesPlant } from './errors.ts';
import { added } from './insert-batch.ts';
import { findPlants, insert, occupiedIds } from './statements.ts';

/**
 * Settles plants whose ids are taken, each as soon as possible, with the plant that has the id. Those whose rows another
 * session has locked are left.
 *
 * @param deadline by `performance.now()`: no insert begins after it.
 * @param settle is called with the outcome of each, or with the error with which the server refuses it.
 */
export async function resolveConflicts(
  connections: Connections,
  plants: readonly NewPlant[],
  deadline: number,
  settle: (id: bigint, result: AddResult | Error) => void,
): Promise<void> {
  const found = await findPlants(connections, plants);
  for (const [id, plant] of found) settle(id, { outcome: 'exists', plant });
  if (found.size === plants.length) return;

  // What is not stored was deleted by hand, and its id is free again; or another session is still inserting it.
  const left = plants.filter(({ id }) => !found.has(id));
  const occupied = await occupiedIds(connections, left);
  for (const plant of left) {
    if (occupied.has(plant.id) || performance.now() > deadline) continue;
    const result = await insertAlone(connections, plant);
    if (result) settle(plant.id, result);
  }
}

/** Undefined if the id is taken or locked. */
async function insertAlone(connections: Connections, plant: NewPlant): Promise<AddResult | Error | undefined> {
  try {
    return (await insert(connections, [plant], { wait: false })) === 'all' ? added : undefined;
  } catch (error) {
    if (refusesPlant(error)) return error as Error;
    throw error;
  }
}
