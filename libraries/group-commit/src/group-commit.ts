import { type Batch, reject } from './batch.ts';
import type { BatchEngine, ItemSpec, Outcome } from './batch-engine.ts';
import { batchSize } from './batch-size.ts';
import { circuitBreaker } from './circuit-breaker.ts';
import { defaultErrors, isOf } from './errors.ts';
import type { GroupCommitEvents } from './events.ts';
import { type GroupCommitLimits, groupCommitLimits, limitsOf } from './limits.ts';
import { defaultMessages } from './messages.ts';
import { alarm, type Platform, processPlatform, withTimeout } from './platform.ts';
import { Queue } from './queue.ts';
import { backoffMs, retries } from './retries.ts';
import { Schedule } from './schedule.ts';
import { sharedProbe } from './shared-probe.ts';

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
 * usually arrive within a commit (see {@link writeTiming}). An item is rejected at once while the queue is full, while its
 * oldest item has waited for `maxWaitMs`, and while the engine does not respond.
 *
 * An item has one of these states, in the order of this file:
 * - queued: in `waiting`;
 * - in flight: in a batch of `batches` that is being written. Of equal keys only the first is; the others are its duplicates;
 * - conflicting: still in its batch, while `settle` determines its outcome and the next batch is written;
 * - settled: its caller has a result or an error, which may be a timeout.
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
  const probe = sharedProbe(() => engine.probe(), platform);
  const hasBreaker = engine.hasCircuitBreaker !== false;
  const breaker = circuitBreaker(probe, platform, errors, (state) => hasBreaker && events.circuit?.(state));
  if (!hasBreaker) breaker.end();
  const retry = retries(
    (error) => engine.isTransient?.(error) ?? false,
    platform,
    () => events.retried?.(),
  );
  const sizes = batchSize(limits.maxBatch, limits.maxWaitMs / 2);
  const queue = new Queue<T, K, R>(limits, sizes, now);
  const schedule = new Schedule(queue, sizes, limits, platform, run);
  const deadlines = alarm(platform, rejectExpired);
  const checks = new Set<Promise<void>>();
  let closed: Promise<void> | undefined;
  events.watchWaiting?.(() => queue.items.length);

  const timedOut = () => new errors.Unavailable(messages.timedOut(timeoutMs));
  const unsettledItems = () => [...schedule.itemsInFlight, ...queue.items].filter(({ isSettled }) => !isSettled);

  async function submit(given: T): Promise<R> {
    if (closed) throw new errors.Unavailable(messages.closed);
    if (breaker.rejection) throw breaker.rejection;
    const size = spec.sizeOf?.(given) ?? 0;
    if (queue.isOverloaded(size))
      throw new errors.Overloaded(messages.overloaded(queue.items.length, Math.round(queue.waitedMs)));
    const content = spec.snapshot ? spec.snapshot(given) : given;
    const key = spec.keyOf(content);
    const deadline = now() + timeoutMs;
    const context = events.context?.();
    const item = { content, key, size, deadline, context, isSettled: false, ...Promise.withResolvers<R>() };
    queue.push(item);
    deadlines.set(deadline);
    schedule.arrived();
    return item.promise;
  }

  /** One timer for all deadlines: a timer for each item would cost more than the queue. */
  function rejectExpired(): void {
    const time = now();
    for (const item of unsettledItems()) {
      if (item.deadline <= time) reject(item, timedOut());
      else deadlines.set(item.deadline);
    }
    queue.dropSettled();
    schedule.dropSettled();
  }

  /** Writes a batch and settles its conflicts, until every item is settled or queued again. Does not throw. */
  async function run(batch: Batch<T, K, R>): Promise<void> {
    try {
      schedule.written(batch, settle(batch, await write(batch)));
      if (batch.isAwaited) await retry(() => settleConflicts(batch), batch.began + timeoutMs);
    } catch (error) {
      failedIfUnsafe(error);
      batch.reject(error);
      schedule.written(batch, 0);
    }
  }

  /**
   * Writes a batch, and reports whether that has failed.
   *
   * A write has `timeoutMs` from its start, however long its items were queued, because the circuit breaker measures the engine
   * and not the queue. After a timeout the write counts as failed, and its result is ignored.
   */
  async function write(batch: Batch<T, K, R>): Promise<readonly Outcome<R>[]> {
    const { successes, rejection } = breaker;
    if (rejection) throw rejection;
    const deadline = batch.began + timeoutMs;
    const late = () => {
      sizes.record(batch.firsts.length, timeoutMs);
      return timedOut();
    };
    try {
      const outcomes = await withTimeout(
        retry(() => attempt(batch, deadline), deadline),
        timeoutMs,
        late,
        platform,
      );
      sizes.latestMs = now() - batch.began;
      sizes.record(outcomes.length, sizes.latestMs);
      reportWrite('done', batch);
      breaker.succeeded();
      return outcomes;
    } catch (error) {
      reportWrite('failed', batch);
      if (isOf(errors.Unavailable, error)) breaker.failed(error as Error, successes);
      throw error;
    }
  }

  async function attempt(batch: Batch<T, K, R>, deadline: number): Promise<readonly Outcome<R>[]> {
    // Stops retries that no caller waits for.
    if (closed && !batch.isAwaited) throw new errors.Unavailable(messages.closed);
    const contents = batch.firsts.map(({ content }) => content);
    return checkedOutcomes(contents, await engine.write(contents, deadline));
  }

  function reportWrite(outcome: 'done' | 'failed', { began, firsts, items }: Batch<T, K, R>): void {
    const contexts = events.context && items.map(({ context }) => context as C);
    events.wrote?.(outcome, firsts.length, (now() - began) / 1_000, contexts);
  }

  /** Settles the items that do not conflict, and returns the number of those that a commit has settled. */
  function settle(batch: Batch<T, K, R>, outcomes: readonly Outcome<R>[]): number {
    const { length } = batch.items;
    const duplicates = batch.settle(outcomes, (result, first) => (spec.repeat ? spec.repeat(result, first) : result));
    if (duplicates.length > 0) {
      queue.putBack(duplicates);
      schedule.wake();
    }
    const isCommitted = outcomes.some((outcome) => typeof outcome === 'object' && 'done' in outcome);
    return isCommitted ? length - batch.items.length : 0;
  }

  /** Polls, because waiting for a lock in the engine would hold a connection. */
  async function settleConflicts(batch: Batch<T, K, R>): Promise<void> {
    if (!engine.settle) throw new Error('write left items in conflict, and there is no settle');
    const deadline = batch.began + timeoutMs;
    for (let attempts = 0; batch.isAwaited; attempts += 1) {
      batch.dropSettled();
      const contents = batch.firsts.map(({ content }) => content);
      settle(batch, checkedOutcomes(contents, await engine.settle(contents, deadline)));
      if (!batch.isAwaited) return;
      const pause = backoffMs(attempts, FIRST_SETTLE_PAUSE_MS, MAX_SETTLE_PAUSE_MS);
      if (now() + pause > deadline - SETTLE_MARGIN_MS)
        throw new errors.Unavailable(messages.unsettled(batch.firsts.map(({ key }) => key)));
      await sleep(pause);
    }
  }

  async function check(): Promise<void> {
    if (closed) throw new errors.Unavailable(messages.closed);
    const probed = withTimeout(probe(), timeoutMs, timedOut, platform);
    checks.add(probed);
    try {
      await probed;
      breaker.close();
    } catch (error) {
      failedIfUnsafe(error);
      throw error;
    } finally {
      checks.delete(probed);
    }
  }

  /** Opens the circuit whatever else succeeds, because later items could be lost. */
  function failedIfUnsafe(error: unknown): void {
    if (isOf(errors.Unsafe, error)) breaker.failed(error as Error, breaker.successes);
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

function checkedOutcomes<R>(items: readonly unknown[], outcomes: readonly Outcome<R>[]): readonly Outcome<R>[] {
  if (outcomes.length === items.length) return outcomes;
  throw new Error(
    `the engine gave ${outcomes.length} outcomes for ${items.length} items; it has to give one for each, in their order`,
  );
}

/** 20 ms before the timeout, whose message would say less than that of the last attempt. */
const SETTLE_MARGIN_MS = 20;

/** 10 ms: a few commits, as long as other writers usually hold a lock. */
const FIRST_SETTLE_PAUSE_MS = 10;

/** 160 ms: about ten attempts per second are no load, however long a lock is held. */
const MAX_SETTLE_PAUSE_MS = 160;
