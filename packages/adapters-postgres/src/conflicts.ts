import { setTimeout as sleep } from 'node:timers/promises';
import { type AddResult, type NewPlant, type Plant, StoreUnavailable } from '@plant-store/domain';
import { backoffMs } from '@plant-store/group-commit';
import type { Database } from './driver/database.ts';
import { added } from './insert-batch.ts';
import { type Inserted, insertEach } from './insert-each.ts';
import { lockSkipLocked, notStored } from './statements.ts';

/**
 * Settles plants whose ids are taken or locked, each as soon as possible, with the plant that has the id. A row that
 * another session has locked is queried again until it is free; nothing waits for it on the server, where it would cost
 * a connection.
 *
 * @param deadline by `performance.now()`.
 * @param settle is called with the outcome of each, or with the error with which the server refuses it.
 * @throws {StoreUnavailable} when rows are still locked at the deadline; some may be unsettled then.
 */
export function resolveConflicts(
  { statements, kysely }: Database,
  plants: readonly NewPlant[],
  deadline: number,
  settle: Settle,
): Promise<void> {
  const rows: Rows = {
    lockSkipLocked: (left) => lockSkipLocked(statements, left),
    notStored: (left) => notStored(statements, left),
    insertEach: (left) => insertEach(kysely, left),
  };
  return settleConflicts(rows, plants, deadline, settle);
}

type Settle = (id: bigint, result: AddResult | Error) => void;

/** What settling conflicts takes; {@link resolveConflicts} has it for plain PostgreSQL. */
export interface Rows {
  lockSkipLocked(plants: readonly NewPlant[]): Promise<ReadonlyMap<bigint, Plant>>;
  notStored(plants: readonly NewPlant[]): Promise<readonly NewPlant[]>;
  insertEach(plants: readonly NewPlant[]): Promise<Inserted>;
}

/** {@link resolveConflicts}, by any statements. */
export async function settleConflicts(
  rows: Rows,
  plants: readonly NewPlant[],
  deadline: number,
  settle: Settle,
): Promise<void> {
  let left = plants;
  for (let attempt = 0; ; attempt += 1) {
    const found = await rows.lockSkipLocked(left);
    for (const [id, plant] of found) settle(id, { outcome: 'exists', plant });
    left = left.filter(({ id }) => !found.has(id));
    if (left.length === 0) return;

    // What is not stored was deleted by hand, and its id is free again; or another session is still inserting it.
    const { ids, refused } = await rows.insertEach(await rows.notStored(left));
    for (const id of ids) settle(id, added);
    for (const [id, error] of refused) settle(id, error);
    left = left.filter(({ id }) => !ids.has(id) && !refused.has(id));
    if (left.length === 0) return;

    const pause = backoffMs(attempt, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    if (performance.now() + pause > deadline)
      throw new StoreUnavailable(
        `another session has locked ${rowsOf(left)}: end its transaction (pg_stat_activity shows it); the store recovers automatically`,
      );
    await sleep(pause);
  }
}

/** On Citus some of several may not be locked themselves, but wait with one that is. */
function rowsOf(plants: readonly NewPlant[]): string {
  const ids = plants.slice(0, 3).map(({ id }) => id);
  return plants.length === 1
    ? `the row of plant ${ids[0]}`
    : `rows among those of plants ${ids.join(', ')}${plants.length > 3 ? ', …' : ''}`;
}

/** 10 ms: a few commits, which is for how long other instances of the service lock a row. */
const FIRST_PAUSE_MS = 10;

/** 160 ms: a dozen queries a second are no load, however long a row is locked. */
const LONGEST_PAUSE_MS = 160;
