import { setTimeout as sleep } from 'node:timers/promises';
import { type AddResult, type NewPlant, StoreUnavailable } from '@plant-store/domain';
import type { Kysely } from 'kysely';
import { added } from './insert-batch.ts';
import { insertEach } from './insert-each.ts';
import type { Schema } from './schema.ts';
import { lockUnlessHeld, notThere } from './statements.ts';

/**
 * Answers plants whose ids were found taken or held, each as soon as it can be: with the plant that has the id. A row that
 * somebody holds is asked for again until it is free; nobody waits for it on the server, where it would cost a connection.
 *
 * @param deadline by `performance.now()`.
 * @param answer is told the outcome of each, or why the server refuses it.
 * @throws {StoreUnavailable} when rows are still held at the deadline; some may not have been answered then.
 */
export async function addTaken(
  db: Kysely<Schema>,
  plants: readonly NewPlant[],
  deadline: number,
  answer: (id: bigint, result: AddResult | Error) => void,
): Promise<void> {
  let left = plants;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const found = await lockUnlessHeld(db, left);
    for (const [id, plant] of found) answer(id, { outcome: 'exists', plant });
    left = left.filter(({ id }) => !found.has(id));
    if (left.length === 0) return;

    // What is not there was deleted by hand, and its id is free again; or it is still being inserted, and held.
    const { free, refused } = await insertEach(db, await notThere(db, left));
    for (const id of free) answer(id, added);
    for (const [id, error] of refused) answer(id, error);
    left = left.filter(({ id }) => !free.has(id) && !refused.has(id));
    if (left.length === 0) return;

    if (performance.now() + pause > deadline)
      throw new StoreUnavailable(
        `somebody holds the row of plant ${left[0]?.id}: end the transaction (pg_stat_activity shows which); the store then goes on by itself`,
      );
    await sleep(pause);
  }
}

/** 10 ms: some commits long, which is for how long other instances of the service hold a row. */
const FIRST_PAUSE_MS = 10;

/** 160 ms: a dozen questions a second are no load, however long somebody holds a row. */
const LONGEST_PAUSE_MS = 160;
