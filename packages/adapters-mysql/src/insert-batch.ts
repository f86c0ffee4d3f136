import type { AddResult, NewPlant } from '@plant-store/domain';
import type { Connections } from './driver/connections.ts';
import { insert, occupiedIds } from './statements.ts';

export const added: AddResult = { outcome: 'added' };

/**
 * Inserts the plants, whose ids all differ, whose ids are free, and resolves with these ids. Where an id is taken, or
 * another session is inserting a plant with it, that costs a read, and another insert without those.
 *
 * @throws what the server reports of anything else; then none was inserted.
 */
export async function insertIfAbsent(connections: Connections, plants: readonly NewPlant[]): Promise<Set<bigint>> {
  let left = plants;
  for (let attempt = 0; attempt < ATTEMPTS && left.length > 0; attempt += 1) {
    if ((await insert(connections, left)) === 'all') return new Set(left.map(({ id }) => id));
    const occupied = await occupiedIds(connections, left);
    left = left.filter(({ id }) => !occupied.has(id));
  }
  return new Set();
}

/** 3: each attempt leaves out what is taken by then; what is left after them is settled later, beside other batches. */
const ATTEMPTS = 3;
