import { type AddResult, type NewPlant, type PlantStore, StoreUnavailable } from '@plant-store/domain';
import { type AddAll, gatherAdds } from '@plant-store/group-commit';
import { added, insertFree } from './insert-batch.ts';
import { addTaken } from './conflicts.ts';
import { answerWithin } from './answer-within.ts';
import { circuitBreaker } from './circuit-breaker.ts';
import { openDatabase } from './driver/database.ts';
import { asStoreUnavailable } from './errors.ts';
import { completeOptions, type PostgresOptions } from './options.ts';
import { preparedStatements } from './driver/prepared-statements.ts';
import { retries } from './retries.ts';
import { checkCanAdd } from './statements.ts';

/**
 * Opens a store that keeps plants in a PostgreSQL database, 15 or newer, which any number of processes may share. Adds
 * that wait at the same time are stored with one commit. It connects when it is used. The database has to be migrated
 * (`migratePostgres`), before or after: until it is, adds and checks throw {@link StoreUnavailable}.
 *
 * @throws {RangeError} when an option is out of its range.
 * @throws {Error} when the connection string cannot be used, with what is wrong with it.
 */
export async function openPostgres(options: PostgresOptions): Promise<PlantStore> {
  const completed = completeOptions(options);
  const { timeoutMs, maxBatch, maxWaiting, maxWaitMs, maxWrites, observer } = completed;
  const db = openDatabase(completed, preparedStatements(completed.onError));
  const checks = new Set<Promise<unknown>>();
  let closed: Promise<void> | undefined;

  const retrying = retries(timeoutMs, observer.retried);
  const breaker = circuitBreaker(() => checkCanAdd(db), observer.circuit);

  /** A batch is given up when nobody waits for it any more; its statement goes on until it has ended. */
  const addAll: AddAll = async (plants) => {
    const deadline = performance.now() + timeoutMs;
    const { free, refused } = await breaker.guard(() =>
      answerWithin(timeoutMs, () => retrying(() => insertFree(db, plants).catch(throwAsStoreUnavailable))),
    );
    const taken = plants.filter(({ id }) => !free.has(id) && !refused.has(id));
    const late = answersTo(taken, deadline);
    return plants.map(({ id }) =>
      refused.has(id) ? Promise.reject(refused.get(id)) : (late.get(id)?.promise ?? added),
    );
  };

  /**
   * Of a commit of their own, for which those that were inserted do not wait. Past the circuit breaker: that somebody
   * holds a row is no outage.
   */
  function answersTo(
    taken: readonly NewPlant[],
    deadline: number,
  ): ReadonlyMap<bigint, PromiseWithResolvers<AddResult>> {
    const answers = new Map(taken.map(({ id }) => [id, Promise.withResolvers<AddResult>()]));
    if (taken.length === 0) return answers;
    const answer = (id: bigint, result: AddResult | Error) =>
      result instanceof Error ? answers.get(id)?.reject(result) : answers.get(id)?.resolve(result);
    retrying(() => addTaken(db, taken, deadline, answer).catch(throwAsStoreUnavailable)).catch((error: unknown) => {
      for (const { reject } of answers.values()) reject(error);
    });
    return answers;
  }

  const gathered = gatherAdds(addAll, {
    timeoutMs,
    maxBatch,
    maxBatchText: MAX_BATCH_TEXT,
    maxWaiting,
    maxWaitingText: MAX_WAITING_TEXT,
    maxWaitMs,
    maxWrites,
    observer,
    platform: {
      now: () => performance.now(),
      after: (ms, callback) => void setTimeout(callback, ms).unref(),
      defer: (callback) => void setImmediate(callback),
    },
  });

  async function check(): Promise<void> {
    const answered = answerWithin(timeoutMs, () => checkCanAdd(db));
    checks.add(answered);
    await answered.catch(throwAsStoreUnavailable).finally(() => checks.delete(answered));
  }

  async function close(): Promise<void> {
    await Promise.allSettled([gathered.answered(), ...checks]);
    breaker.end();
    await db.destroy();
  }

  const refuse = () => Promise.reject(new StoreUnavailable('the PostgreSQL store is closed'));
  return {
    plants: { add: (plant) => (closed ? refuse() : gathered.add(plant)) },
    check: () => (closed ? refuse() : check()),
    close: () => (closed ??= close()),
  };
}

/** 4 Mi code units: a statement of some megabytes is as fast a unit as one of any size. */
const MAX_BATCH_TEXT = 4 * 1024 * 1024;

/** 64 Mi code units, 128 MB at the most, however large the plants are that wait. */
const MAX_WAITING_TEXT = 64 * 1024 * 1024;

function throwAsStoreUnavailable(error: unknown): never {
  throw asStoreUnavailable(error);
}
