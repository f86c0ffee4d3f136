import { type Batch, reject } from './batch.ts';
import type { BatchEngine, ItemSpec, Outcome } from './batch-engine.ts';
import { circuitBreaker } from './circuit-breaker.ts';
import { defaultErrors } from './errors.ts';
import type { GroupCommitEvents } from './events.ts';
import { type GroupCommitLimits, groupCommitLimits, limitsOf } from './limits.ts';
import { defaultMessages } from './messages.ts';
import { alarm, type Platform, processPlatform, withTimeout } from './platform.ts';
import { Queue } from './queue.ts';
import { backoffMs, retries } from './retries.ts';
import { Schedule } from './schedule.ts';

/** Writes single items in batches, with a result for each item. */
export interface GroupCommit<T, R> {
  /**
   * Writes an item. Settles within `timeoutMs`.
   *
   * @throws {Unavailable} if the engine cannot respond in time. Whether the item was written is then unknown.
   * @throws {Error} the engine's error if it rejects this item.
   */
  submit(item: T): Promise<R>;
  /** Resolves if the engine could write an item now; throws {@link Unavailable} within `timeoutMs` if not. */
  check(): Promise<void>;
  /** Lets items in flight finish, and closes the engine. Later calls throw {@link Unavailable}. */
  close(): Promise<void>;
}

/**
 * Group commit: writes the items that are waiting together, with one commit for all of them.
 *
 * A lone client's item is written as soon as the input that arrived with it is processed. Other items wait for those that
 * usually arrive within a commit (see `writeTiming`). An item is rejected at once while the queue is full, while its oldest
 * item has waited for `maxWaitMs`, and while the engine does not respond.
 *
 * An item is queued in the {@link Queue}. The {@link Schedule} takes it off and has it in a {@link Batch} that is being written,
 * and that may then settle conflicts while the next one is written. An item is settled once its caller has a result or an error,
 * which may be a timeout.
 *
 * @throws {RangeError} if a limit is out of range.
 */
export function groupCommit<T, K, R, C = unknown>(
  engine: BatchEngine<T, R>,
  spec: ItemSpec<T, K, R>,
  givenLimits: GroupCommitLimits = {},
  events: GroupCommitEvents<C> = {},
  platform: Platform = processPlatform,
): GroupCommit<T, R> {
  const limits = limitsOf(groupCommitLimits, givenLimits);
  const { timeoutMs } = limits;
  const { errors = defaultErrors, messages = defaultMessages } = spec;
  const { now, sleep } = platform;
  const breaker = circuitBreaker(engine, errors, events, platform);
  const retry = retries(engine, events, platform);
  const queue = new Queue<T, K, R>(limits, now);
  const schedule = new Schedule(queue, platform, run);
  const setDeadline = alarm(platform, rejectExpired);
  const checks = new Set<Promise<void>>();
  let closed: Promise<void> | undefined;
  events.watchWaiting?.(() => queue.items.length);

  const timedOut = () => new errors.Unavailable(messages.timedOut(timeoutMs));
  const unsettledItems = () => [...schedule.itemsInFlight, ...queue.items].filter(({ isSettled }) => !isSettled);

  async function submit(given: T): Promise<R> {
    if (closed) throw new errors.Unavailable(messages.closed);
    const { rejection } = breaker;
    if (rejection) throw rejection;
    const size = spec.sizeOf?.(given) ?? 0;
    if (queue.isOverloaded(size))
      throw new errors.Overloaded(messages.overloaded(queue.items.length, Math.round(queue.waitedMs)));
    const content = spec.snapshot ? spec.snapshot(given) : given;
    const key = spec.keyOf(content);
    const time = now();
    const deadline = time + timeoutMs;
    const context = events.context?.();
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    queue.push({ content, key, size, deadline, context, promise, resolve, reject, isSettled: false });
    setDeadline(deadline);
    schedule.arrived(time);
    return promise;
  }

  /** One timer for all deadlines: a timer for each item would cost more than the queue. */
  function rejectExpired(): void {
    const time = now();
    const timeout = timedOut();
    for (const item of unsettledItems()) {
      if (item.deadline <= time) reject(item, timeout);
      else setDeadline(item.deadline);
    }
    queue.dropSettled();
    schedule.dropSettled();
  }

  /** Writes a batch and settles its conflicts, until every item is settled or queued again. Does not throw. */
  async function run(batch: Batch<T, K, R>): Promise<void> {
    try {
      schedule.written(batch, settle(batch, await write(batch)));
      if (batch.isAwaited) await retry(() => settleConflicts(batch), batch.deadline);
    } catch (error) {
      breaker.failed(error);
      batch.reject(error);
      schedule.written(batch, 0);
    }
  }

  /**
   * Writes a batch. It has `timeoutMs` from its start, however long its items were queued, because the circuit breaker measures
   * the engine and not the queue. After a timeout the write counts as failed, and its result is ignored.
   */
  async function write(batch: Batch<T, K, R>): Promise<readonly Outcome<R>[]> {
    const { successes, rejection } = breaker;
    if (rejection) throw rejection;
    try {
      const written = retry(() => attempt(batch), batch.deadline);
      const outcomes = await withTimeout(written, timeoutMs, () => late(batch), platform);
      queue.batchSize.latestMs = now() - batch.began;
      queue.batchSize.record(outcomes.length, queue.batchSize.latestMs);
      reportWrite('done', batch);
      breaker.successes += 1;
      return outcomes;
    } catch (error) {
      reportWrite('failed', batch);
      breaker.failed(error, successes);
      throw error;
    }
  }

  async function attempt(batch: Batch<T, K, R>): Promise<readonly Outcome<R>[]> {
    // Stops retries that no caller waits for.
    if (closed && !batch.isAwaited) throw new errors.Unavailable(messages.closed);
    return batch.checked(await engine.write(batch.contents, batch.deadline));
  }

  function late({ contents }: Batch<T, K, R>): Error {
    queue.batchSize.record(contents.length, timeoutMs);
    return timedOut();
  }

  function reportWrite(outcome: 'done' | 'failed', batch: Batch<T, K, R>): void {
    const contexts = events.context && batch.items.map(({ context }) => context as C);
    events.wrote?.(outcome, batch.contents.length, (now() - batch.began) / 1_000, contexts);
  }

  /** Settles the items that do not conflict, and returns how many clients got a response by a commit. */
  function settle(batch: Batch<T, K, R>, outcomes: readonly Outcome<R>[]): number {
    const before = batch.awaited;
    const duplicates = batch.settle(outcomes, (result, first) => (spec.repeat ? spec.repeat(result, first) : result));
    if (duplicates.length > 0) {
      queue.putBack(duplicates);
      schedule.wake();
    }
    const isCommitted = outcomes.some((outcome) => typeof outcome === 'object' && 'done' in outcome);
    return isCommitted ? before - batch.awaited - duplicates.length : 0;
  }

  /** Polls, because waiting for a lock in the engine would hold a connection. */
  async function settleConflicts(batch: Batch<T, K, R>): Promise<void> {
    if (!engine.settle) throw new Error('write left items in conflict, and there is no settle');
    for (let attempts = 0; batch.isAwaited; attempts += 1) {
      batch.dropSettled();
      settle(batch, batch.checked(await engine.settle(batch.contents, batch.deadline)));
      if (!batch.isAwaited) return;
      const pause = backoffMs(attempts, FIRST_SETTLE_PAUSE_MS, MAX_SETTLE_PAUSE_MS);
      if (now() + pause > batch.deadline - SETTLE_MARGIN_MS)
        throw new errors.Unavailable(messages.unsettled(batch.keys));
      await sleep(pause);
    }
  }

  async function check(): Promise<void> {
    if (closed) throw new errors.Unavailable(messages.closed);
    const probed = withTimeout(breaker.probe(), timeoutMs, timedOut, platform);
    checks.add(probed);
    try {
      await probed;
      breaker.close();
    } catch (error) {
      breaker.failed(error);
      throw error;
    } finally {
      checks.delete(probed);
    }
  }

  async function end(): Promise<void> {
    const pending = [...unsettledItems().map(({ promise }) => promise), ...checks];
    schedule.close();
    await Promise.allSettled(pending);
    breaker.end();
    await engine.close();
  }

  return { submit, check, close: () => (closed ??= end()) };
}

/** 20 ms before the timeout, whose message would say less than that of the last attempt. */
const SETTLE_MARGIN_MS = 20;

/** 10 ms: a few commits, as long as other writers usually hold a lock. */
const FIRST_SETTLE_PAUSE_MS = 10;

/** 160 ms: about ten attempts per second are no load, however long a lock is held. */
const MAX_SETTLE_PAUSE_MS = 160;
