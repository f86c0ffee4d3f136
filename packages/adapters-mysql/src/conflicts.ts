import { setTimeout as sleep } from 'node:timers/promises';
import { type AddResult, type NewPlant, StoreUnavailable } from '@plant-store/domain';
import { backoffMs } from '@plant-store/group-commit';
import type { Connections } from './driver/connections.ts';
import { refusesPlant } from './errors.ts';
import { added } from './insert-batch.ts';
import { findPlants, insert, occupiedIds } from './statements.ts';

/**
 * Settles plants whose ids are taken or locked, each as soon as possible, with the plant that has the id. A row that
 * another session has not committed is looked for again until it is.
 *
 * @param deadline by `performance.now()`.
 * @param settle is called with the outcome of each, or with the error with which the server refuses it.
 * @throws {StoreUnavailable} when rows are still locked at the deadline; some may be unsettled then.
 */
export async function resolveConflicts(
  connections: Connections,
  plants: readonly NewPlant[],
  deadline: number,
  settle: (id: bigint, result: AddResult | Error) => void,
): Promise<void> {
  let left = plants;
  for (let attempt = 0; ; attempt += 1) {
    const found = await findPlants(connections, left);
    for (const [id, plant] of found) settle(id, { outcome: 'exists', plant });
    left = left.filter(({ id }) => !found.has(id));
    if (left.length === 0) return;

    // What is not stored was deleted by hand, and its id is free again; or another session is still inserting it.
    const occupied = await occupiedIds(connections, left);
    const settled = new Set<bigint>();
    for (const plant of left) {
      if (occupied.has(plant.id) || performance.now() > deadline) continue;
      const result = await insertAlone(connections, plant);
      if (!result) continue;
      settle(plant.id, result);
      settled.add(plant.id);
    }
    left = left.filter(({ id }) => !settled.has(id));
    if (left.length === 0) return;

    const pause = backoffMs(attempt, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    if (performance.now() + pause > deadline)
      throw new StoreUnavailable(
        `another session has locked the row of plant ${left[0]?.id}: end its transaction (information_schema.innodb_trx shows it); the store recovers automatically`,
      );
    await sleep(pause);
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

/** 10 ms: a few commits, which is for how long other instances of the service lock a row. */
const FIRST_PAUSE_MS = 10;

/** 160 ms: a dozen queries a second are no load, however long a row is locked. */
const LONGEST_PAUSE_MS = 160;
