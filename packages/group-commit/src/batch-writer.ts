import { type NewPlant, type StoreObserver, StoreUnavailable } from '@plant-store/domain';
import { backoffMs } from './backoff.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { PendingAdd } from './pending-add.ts';
import type { Platform } from './platform.ts';
import type { Retry } from './retries.ts';
import type { InsertResult, StorageEngine } from './storage-engine.ts';
import { timeoutError } from './with-timeout.ts';
import type { Batch, WriteQueue } from './write-queue.ts';

/** Writes batches, and settles each of their adds on its own. Neither function throws. */
export interface BatchWriter {
  /** Resolves with the adds that conflict, which are not settled yet. */
  write(batch: Batch): Promise<readonly PendingAdd[]>;
  /** @param adds at least one. */
  resolveConflicts(adds: readonly PendingAdd[], deadline: number): Promise<void>;
}

/** What a batch writer needs. */
export interface BatchWriterParts {
  readonly engine: StorageEngine;
  readonly retry: Retry;
  readonly breaker: CircuitBreaker;
  readonly observer: StoreObserver;
  readonly queue: Pick<WriteQueue, 'startTimeout'>;
  readonly timeoutMs: number;
  readonly platform: Pick<Platform, 'now' | 'sleep'>;
  /** Called for each write that was stored within `timeoutMs`. */
  readonly onStored: (plants: number, tookMs: number) => void;
}

/**
 * Makes a writer. Each write has `timeoutMs` from its own beginning, however long its adds have waited for it: the speed
 * of the store is what counts for the circuit breaker, not the length of the queue. A write that takes longer has failed;
 * it goes on, and its end is ignored.
 *
 * A batch that is refused because of one plant is written again in halves, so that only that plant's
 * add fails. Of equal ids in a batch the first is written, and the others are answered with the plant that then has the
 * id.
 */
export function batchWriter(parts: BatchWriterParts): BatchWriter {
  const { engine, retry, breaker, observer, queue, timeoutMs, onStored } = parts;
  const { now, sleep } = parts.platform;

  async function write(adds: Batch): Promise<readonly PendingAdd[]> {
    const firsts = firstOfEachId(adds);
    if (firsts.length === 0) return [];
    const { refusal, successes } = breaker;
    if (refusal) {
      rejectAll(firsts, refusal);
      return [];
    }
    const began = now();
    let isTimedOut = false;
    const ended = (outcome: 'stored' | 'failed') => observer.wrote(outcome, firsts.length, (now() - began) / 1_000);
    const clearTimeout = queue.startTimeout(() => {
      isTimedOut = true;
      breaker.failed(timeoutError(timeoutMs), successes);
      ended('failed');
    });
    const deadline = began + timeoutMs;
    const plants = firsts.map(({ plant }) => plant);
    let results: readonly InsertResult[];
    try {
      results = await retry(() => engine.insertBatch(plants, deadline), deadline);
      assertOneForEach(results, plants);
    } catch (error) {
      clearTimeout();
      if (isTimedOut) return [];
      ended('failed');
      if (!(error instanceof StoreUnavailable)) return writeApart(firsts, error);
      breaker.failed(error, successes);
      rejectAll(firsts, error);
      return [];
    }
    clearTimeout();
    if (isTimedOut) return [];
    breaker.succeeded();
    onStored(firsts.length, now() - began);
    ended('stored');
    const conflicts = firsts.filter((_, at) => results[at] === undefined);
    const refused = firsts.filter((add, at) => settle(add, results[at]));
    const repeats = refused.flatMap((add) => add.repeats ?? []);
    return repeats.length === 0 ? conflicts : [...conflicts, ...(await write(repeats))];
  }

  /** Rejects a single plant, and tries the next one with its id; of several plants, tries each half. */
  async function writeApart(adds: Batch, error: unknown): Promise<readonly PendingAdd[]> {
    const [first] = adds;
    if (first && adds.length === 1) {
      first.reject(error);
      return write(first.repeats ?? []);
    }
    const half = adds.length >> 1;
    const conflicts = await write(adds.slice(0, half));
    return [...conflicts, ...(await write(adds.slice(half)))];
  }

  async function resolveConflicts(adds: readonly PendingAdd[], deadline: number): Promise<void> {
    try {
      await retry(() => untilSettled(adds, deadline), deadline);
    } catch (error) {
      rejectAll(adds, error);
    }
  }

  /** Again and again: a row that another session has locked is not waited for on the server, where it would cost a connection. */
  async function untilSettled(adds: readonly PendingAdd[], deadline: number): Promise<void> {
    if (!engine.resolveConflicts)
      throw new Error('insertBatch left plants undefined, and there is no resolveConflicts');
    const byId = new Map(adds.map((add) => [add.plant.id, add]));
    for (let attempt = 0; ; attempt += 1) {
      const plants = awaited(adds);
      if (plants.length === 0) return;
      await engine.resolveConflicts(plants, deadline, (id, result) => {
        const add = byId.get(id);
        if (add && settle(add, result)) rejectAll([add], result);
      });
      const left = awaited(adds);
      if (left.length === 0) return;
      const pause = backoffMs(attempt, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
      if (now() + pause > deadline) throw locked(left, engine.sessionsView);
      await sleep(pause);
    }
  }

  return { write, resolveConflicts };
}

const awaited = (adds: readonly PendingAdd[]) => adds.filter((add) => add.isAwaited).map(({ plant }) => plant);

function locked(plants: readonly NewPlant[], sessionsView?: string): StoreUnavailable {
  const ids = plants.slice(0, 3).map(({ id }) => id);
  // Some of several may not be locked themselves, but wait with one that is.
  const rows =
    plants.length === 1
      ? `the row of plant ${ids[0]}`
      : `rows among those of plants ${ids.join(', ')}${plants.length > 3 ? ', …' : ''}`;
  const shown = sessionsView === undefined ? '' : ` (${sessionsView} shows it)`;
  return new StoreUnavailable(
    `another session has locked ${rows}: end its transaction${shown}; the store recovers automatically`,
  );
}

function assertOneForEach(results: readonly InsertResult[], plants: readonly NewPlant[]): void {
  if (results.length === plants.length) return;
  throw new Error(
    `insertBatch gave ${results.length} results for ${plants.length} plants; it has to give one for each, in their order`,
  );
}

/** The adds to write, each with the later ones of its id as its repeats; without those that have timed out. */
function firstOfEachId(adds: Batch): Batch {
  // Most batches at an ordinary rate, for which a Map is dear.
  if (adds.length === 1) return adds.filter((add) => add.isAwaited);
  const firsts = new Map<bigint, PendingAdd>();
  for (const add of adds) {
    if (!add.isAwaited) continue;
    const first = firsts.get(add.plant.id);
    if (!first) firsts.set(add.plant.id, add);
    else if (first.repeats) first.repeats.push(add);
    else first.repeats = [add];
  }
  return [...firsts.values()];
}

/** Settles an add with its result, if there is one, and returns whether it was refused. */
function settle(add: PendingAdd, result: InsertResult): boolean {
  if (result instanceof Error) add.reject(result);
  else if (result) add.resolve(result);
  return result instanceof Error;
}

function rejectAll(adds: readonly PendingAdd[], reason: unknown): void {
  for (const add of adds) for (const each of [add, ...(add.repeats ?? [])]) each.reject(reason);
}

/** 10 ms: a few commits, which is for how long other instances of the service lock a row. */
const FIRST_PAUSE_MS = 10;

/** 160 ms: a dozen queries a second are no load, however long a row is locked. */
const LONGEST_PAUSE_MS = 160;
