import type { AddResult, NewPlant } from '@plant-store/domain';
import type { Outcome } from '@plant-store/group-commit';
import { added } from '@plant-store/sql-store';
import type { Connections } from './driver/connections.ts';
import { insert, occupiedIds } from './statements.ts';

/**
 * Inserts the plants, whose ids all differ, whose ids are free. Where an id is taken, or another session is inserting a
 * plant with it, that costs a read, and another insert without those. What cannot be read and locks all the same, such as a
 * row that another session is deleting, is for group-commit to find in parts.
 *
 * @param deadline by `performance.now()`: nothing more is begun after it.
 * @param mayWait false: all or none, without waiting; but for a locked gap on MySQL.
 * @throws what the server reports of anything else; what was inserted by then stays.
 */
export async function insertBatch(
  connections: Connections,
  plants: readonly NewPlant[],
  deadline: number,
  mayWait: boolean,
): Promise<readonly Outcome<AddResult>[]> {
  if (!mayWait) {
    const outcome = (await insert(connections, plants, { wait: false })) === 'all' ? added : 'split';
    return plants.map(() => outcome);
  }
  let left = plants;
  let outcome: Outcome<AddResult> = 'conflict';
  for (let attempt = 0; attempt < ATTEMPTS && left.length > 0 && performance.now() < deadline; attempt += 1) {
    const inserted = await insert(connections, left);
    if (inserted === 'all') {
      outcome = added;
      break;
    }
    const occupied = await occupiedIds(connections, left);
    left = left.filter(({ id }) => !occupied.has(id));
    if (inserted === 'locked') {
      outcome = 'split';
      break;
    }
  }
  const ids = new Set(left.map(({ id }) => id));
  return plants.map(({ id }) => (ids.has(id) ? outcome : 'conflict'));
}

/** 3: each attempt leaves out what is taken by then; what is left after them is settled later, beside other batches. */
const ATTEMPTS = 3;
