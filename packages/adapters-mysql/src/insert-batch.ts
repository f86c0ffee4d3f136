import type { AddResult, NewPlant } from '@plant-store/domain';
import type { Connections } from './driver/connections.ts';
import { refusesPlant } from './errors.ts';
import { insert, occupiedIds } from './statements.ts';

export const added: AddResult = { outcome: 'added' };

/**
 * Inserts the plants, whose ids all differ, whose ids are free, and resolves with these ids. Where an id is taken, or
 * another session is inserting a plant with it, that costs a read, and another insert without those. What cannot be read
 * and locks all the same, such as a row that another session is deleting, is found by halves, without waiting; but for a
 * locked gap on MySQL.
 *
 * @param deadline by `performance.now()`: nothing more is begun after it.
 * @throws what the server reports of anything else; what was inserted by then stays.
 */
export async function insertIfAbsent(
  connections: Connections,
  plants: readonly NewPlant[],
  deadline: number,
): Promise<Set<bigint>> {
  let left = plants;
  let wait = true;
  for (let attempt = 0; attempt < ATTEMPTS && left.length > 0 && performance.now() < deadline; attempt += 1) {
    const inserted = await insert(connections, left, { wait });
    if (inserted === 'all') return idsOf(left);
    const occupied = await occupiedIds(connections, left);
    if (inserted === 'locked') {
      if (occupied.size === 0) return insertByHalves(connections, left, deadline);
      wait = false;
    }
    left = left.filter(({ id }) => !occupied.has(id));
  }
  return new Set();
}

/** Of plants that cannot be inserted together. Once one is inserted, nothing is thrown: what is left is settled later. */
async function insertByHalves(
  connections: Connections,
  plants: readonly NewPlant[],
  deadline: number,
): Promise<Set<bigint>> {
  const ids = new Set<bigint>();
  const parts = halvesOf(plants);
  try {
    for (let part = parts.pop(); part && performance.now() < deadline; part = parts.pop()) {
      if (await insertsAll(connections, part)) for (const { id } of part) ids.add(id);
      else parts.push(...halvesOf(part));
    }
  } catch (error) {
    if (ids.size === 0) throw error;
  }
  return ids;
}

function halvesOf(plants: readonly NewPlant[]): (readonly NewPlant[])[] {
  const half = plants.length >> 1;
  return half === 0 ? [] : [plants.slice(half), plants.slice(0, half)];
}

async function insertsAll(connections: Connections, plants: readonly NewPlant[]): Promise<boolean> {
  try {
    return (await insert(connections, plants, { wait: false })) === 'all';
  } catch (error) {
    if (refusesPlant(error)) return false;
    throw error;
  }
}

function idsOf(plants: readonly NewPlant[]): Set<bigint> {
  return new Set(plants.map(({ id }) => id));
}

/** 3: each attempt leaves out what is taken by then; what is left after them is settled later, beside other batches. */
const ATTEMPTS = 3;
