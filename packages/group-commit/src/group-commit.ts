import {
  type AddResult,
  type NewPlant,
  type PlantRepository,
  plantOf,
  StoreOverloaded,
  StoreUnavailable,
} from '@plant-store/domain';
import { pace } from './admission-control.ts';
import type { StoreObserver } from './store-observer.ts';
import { addQueue, type PendingAdd, type Platform } from './write-queue.ts';

/**
 * Stores plants, whose ids all differ, with one commit: all of them or none.
 *
 * @returns the outcome of each, in the order of the plants, once it is as durable as the store promises; or a promise of
 * it, where it has to wait for something that does not concern the others.
 * @throws {StoreUnavailable} when the store cannot answer; what was stored is then unknown.
 * @throws {Error} anything else when the store refuses a plant for its own sake; then none of them was stored.
 */
export type AddAll = (plants: readonly NewPlant[]) => Promise<readonly (AddResult | Promise<AddResult>)[]>;

/** How adds are gathered. Every number is a whole one above zero. */
export interface GatherOptions {
  /** The most plants in one write. */
  readonly maxBatch: number;
  /** The most text in one write, in UTF-16 code units. A plant with more is written alone. */
  readonly maxBatchText: number;
  /** The most adds that wait for a write. Those beyond are refused at once, so that memory stays flat. */
  readonly maxWaiting: number;
  /** The most text in the adds that wait, in UTF-16 code units, for the same reason. */
  readonly maxWaitingText: number;
  /**
   * How long an add may have to wait for those before it, in milliseconds, beyond what a write takes in any case. Where
   * it would be longer, it is refused at once. So the store's own pace is the bound, whatever it is.
   */
  readonly maxWaitMs: number;
  /**
   * The most writes under way at once, not counting those that nobody waits for any more: they go on, and the next ones
   * begin beside them. So 1 is no lock. Where looking and writing are two operations of the engine, `addAll` has to let
   * one batch after the other in by itself.
   */
  readonly maxWrites: number;
  /** How long an add may take, in milliseconds, before its caller is told that the store has not answered. */
  readonly timeoutMs: number;
  readonly platform: Platform;
  /** Told of every write, and of how many adds wait. Nobody is by default. */
  readonly observer?: Pick<StoreObserver, 'watchWaitingAdds' | 'wrote'>;
}

/** A repository that gathers. */
export interface GatheredAdds extends PlantRepository {
  /** Resolves when every add so far was answered. */
  answered(): Promise<void>;
}

/**
 * Group commit: a repository that writes the adds which are waiting together, with one commit for all of them.
 *
 * No add waits for others to come: the first is written as soon as the input that came with it was looked at, and those
 * that come meanwhile are the next batch. Each add is answered on its own, after its commit. A batch that is refused
 * for one plant's sake is written again in halves, so that only that plant's add fails. Of equal ids in one batch the
 * first is written, and the others are answered with what has the id then.
 */
export function gatherAdds(addAll: AddAll, options: GatherOptions): GatheredAdds {
  const { maxBatch, maxBatchText, maxWaiting, maxWaitingText, maxWrites, maxWaitMs, timeoutMs, platform } = options;
  const { observer } = options;
  const queue = addQueue(timeoutMs, platform);
  const store = pace({ maxBatch, maxWrites, maxWaitMs });
  observer?.watchWaitingAdds(() => queue.waiting);
  let writes = 0;
  let underWay = 0;
  let deferred = false;

  function writeWaiting(): void {
    deferred = false;
    while (queue.waiting > 0 && writes < maxWrites) {
      writes += 1;
      let counted = true;
      const ended = () => {
        if (!counted) return;
        counted = false;
        writes -= 1;
        underWay -= batch.length;
        writeWaiting();
      };
      // A write that is so late that nobody waits for it any more must not keep others from being tried.
      const batch = queue.take(store.nextBatch(), maxBatchText, ended);
      underWay += batch.length;
      void write(batch).then(async (late) => {
        ended();
        await Promise.allSettled(late);
        queue.giveBack(batch);
      });
    }
  }

  /** Answers every add of the batch, whatever happens, and resolves with what takes longer than the write. Never throws. */
  async function write(batch: readonly PendingAdd[]): Promise<readonly Promise<unknown>[]> {
    const { firsts, repeated } = byId(batch);
    const adds = [...firsts.values()];
    if (adds.length === 0) return [];
    const began = platform.now();
    const ended = (outcome: 'stored' | 'failed') =>
      observer?.wrote(outcome, adds.length, (platform.now() - began) / 1_000);
    try {
      const results = await addAll(adds.map(({ plant }) => plant));
      const now = platform.now();
      store.learn(adds.length, now - began, now);
      // What came before it was known how slow the store is would wait for long, and let nobody in behind it.
      const room = store.room(underWay - adds.length, now);
      if (queue.waiting > room) queue.shorten(room, overloaded());
      if (results.length !== adds.length) {
        throw new Error(
          `addAll answered ${results.length} of ${adds.length} plants; it has to answer each, in their order`,
        );
      }
      ended('stored');
      for (const [at, add] of adds.entries())
        answer(add, results[at] as AddResult | Promise<AddResult>, (result) => result);
      for (const add of repeated) {
        const first = firsts.get(add.plant.id) as PendingAdd;
        const result = results[adds.indexOf(first)] as AddResult | Promise<AddResult>;
        answer(add, result, (outcome) => whatHasTheId(first.plant, outcome));
      }
      return results.filter((result) => result instanceof Promise);
    } catch (error) {
      ended('failed');
      if (error instanceof StoreUnavailable) {
        for (const add of batch) add.reject(error);
        return [];
      }
      const half = adds.length >> 1;
      const late: Promise<unknown>[] = [];
      if (half === 0) adds[0]?.reject(error);
      else for (const some of [adds.slice(0, half), adds.slice(half)]) late.push(...(await write(some)));
      late.push(...(await write(repeated)));
      return late;
    }
  }

  /**
   * Whether there is no room for another add, or it would wait too long: by the pace of the store or, where that does not
   * tell because nothing is written any more, by others having waited for half the time that there is: a moment in which
   * nothing is written is no overload.
   */
  function isOverloaded(): boolean {
    if (queue.waiting >= maxWaiting || queue.waitingText >= maxWaitingText) return true;
    if (underWay + queue.waiting === 0) return false;
    return queue.waiting >= store.room(underWay, platform.now()) || queue.longestWaitMs > timeoutMs / 2;
  }

  function overloaded(): StoreOverloaded {
    return new StoreOverloaded(`${queue.waiting} adds are waiting for the store already`);
  }

  return {
    add(plant) {
      if (isOverloaded()) return Promise.reject(overloaded());
      if (!deferred && writes < maxWrites) {
        deferred = true;
        platform.defer(writeWaiting);
      }
      return queue.push(plant);
    },
    answered: () => queue.answered(),
  };
}

/** The adds to write and those behind them, leaving out whoever was told already that the store has not answered. */
function byId(batch: readonly PendingAdd[]): { firsts: Map<bigint, PendingAdd>; repeated: PendingAdd[] } {
  const firsts = new Map<bigint, PendingAdd>();
  const repeated: PendingAdd[] = [];
  for (const add of batch) {
    if (add.answered) continue;
    if (firsts.has(add.plant.id)) repeated.push(add);
    else firsts.set(add.plant.id, add);
  }
  return { firsts, repeated };
}

/** Answers an add with what comes of a result, now or when it is there. */
function answer(
  add: PendingAdd,
  result: AddResult | Promise<AddResult>,
  outcome: (result: AddResult) => AddResult,
): void {
  if (result instanceof Promise)
    result.then(
      (value) => add.resolve(outcome(value)),
      (error: unknown) => add.reject(error),
    );
  else add.resolve(outcome(result));
}

/** What an add meets whose id an earlier add of the same batch has just taken, or found taken. */
function whatHasTheId(plant: NewPlant, result: AddResult): AddResult {
  return result.outcome === 'added' ? { outcome: 'exists', plant: plantOf(plant) } : result;
}
