import type { BatchEngine, ItemSpec, Outcome } from './batch-engine.ts';
import { batchSize } from './batch-size.ts';
import { circuitBreaker } from './circuit-breaker.ts';
import { defaultErrors, isOf } from './errors.ts';
import type { GroupCommitEvents } from './events.ts';
import { type GroupCommitLimits, groupCommitLimits, limitsOf } from './limits.ts';
import { defaultMessages } from './messages.ts';
import { type Platform, processPlatform, withTimeout } from './platform.ts';
import { backoffMs, retries } from './retries.ts';
import { sharedProbe } from './shared-probe.ts';
import { writeTiming } from './write-timing.ts';

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
  limits: GroupCommitLimits = {},
  events: GroupCommitEvents<C> = {},
  platform: Platform = processPlatform,
): GroupCommit<T, R> {
  const { timeoutMs, maxBatch, maxBatchSize, maxWaiting, maxWaitMs, maxWrites } = limitsOf(groupCommitLimits, limits);
  const { errors = defaultErrors, messages = defaultMessages } = spec;
  const { now, sleep, after, defer } = platform;
  const batchSizes = batchSize(maxBatch, maxWaitMs / 2);
  const timing = writeTiming(maxWrites, maxWaitMs / 20);
  const probe = sharedProbe(() => engine.probe(), platform);
  const hasBreaker = engine.hasCircuitBreaker !== false;
  const breaker = circuitBreaker(probe, platform, errors, (state) => hasBreaker && events.circuit?.(state));
  if (!hasBreaker) breaker.end();
  const retry = retries(
    (error) => engine.isTransient?.(error) ?? false,
    platform,
    () => events.retried?.(),
  );

  // Arrays, because the tables of a Map or Set with many changes keep one another and their former contents alive in the old
  // generation. Each has only a few elements.
  let waiting: Item<T, K, R>[] = [];
  let batches: Batch<T, K, R>[] = [];
  /** The batches that hold a write slot, and their items including duplicates. */
  let writesInFlight = 0;
  let itemsInFlight = 0;
  let unsettled = 0;
  let latestWriteMs = 0;
  let isWriteScheduled = false;
  /** The timer that calls `writeWaiting` again. */
  let waitTimer: { readonly until: number; readonly cancel: () => void } | undefined;
  let hasDeadlineTimer = false;
  const checks = new Set<Promise<void>>();
  let onDrained = () => {};
  let closed: Promise<void> | undefined;
  events.watchWaiting?.(() => waiting.length);

  const timedOut = () => new errors.Unavailable(messages.timedOut(timeoutMs));
  const overloaded = () => new errors.Overloaded(messages.overloaded(waiting.length, Math.round(waitedMs())));
  const rejectClosed = () => Promise.reject(new errors.Unavailable(messages.closed));

  // State: queued

  function submit(item: T): Promise<R> {
    if (closed) return rejectClosed();
    const { rejection } = breaker;
    if (rejection) return Promise.reject(rejection);
    const size = spec.sizeOf ? spec.sizeOf(item) : 0;
    if (isOverloaded(size)) return Promise.reject(overloaded());
    return new Promise((resolve, reject) => {
      const content = spec.snapshot ? spec.snapshot(item) : item;
      const key = spec.keyOf(content);
      const deadline = now() + timeoutMs;
      const context = events.context?.();
      waiting.push({ content, key, size, deadline, context, resolve, reject, settled: false, duplicates: undefined });
      unsettled += 1;
      setDeadlineTimer(timeoutMs);
      timing.arrived(now());
      if (writesInFlight < maxWrites) scheduleWrite();
    });
  }

  /** How long the oldest item of the queue has waited. */
  function waitedMs(): number {
    const [oldest] = waiting;
    return oldest ? now() - oldest.deadline + timeoutMs : 0;
  }

  /**
   * Whether the queue is full, or so slow that an item of this size would wait too long. With reduced batches, a write takes up to half
   * of `maxWaitMs`, so the queue holds as many items as are written in time.
   */
  function isOverloaded(size: number): boolean {
    if (waiting.length > 0 && size * maxBatch > maxBatchSize && isCrowded(size)) return true;
    const limit = batchSizes.max < maxBatch ? Math.min(maxWaiting, 2 * maxWrites * batchSizes.max) : maxWaiting;
    return waiting.length > 0 && (waiting.length >= limit || waitedMs() >= maxWaitMs);
  }

  /** Whether an item of this size fits neither into the next batch nor into half of `maxWaitMs`, at the pace of the latest write. */
  function isCrowded(size: number): boolean {
    const bySize = waiting.reduce((sum, item) => sum + item.size, size) / maxBatchSize;
    const batchesNeeded = Math.ceil(Math.max(bySize, (waiting.length + 1) / batchSizes.max));
    return batchesNeeded > 1 && (batchesNeeded * latestWriteMs) / maxWrites > maxWaitMs / 2;
  }

  /** Schedules a write after the input that has already arrived is processed. */
  function scheduleWrite(): void {
    if (isWriteScheduled) return;
    isWriteScheduled = true;
    defer(() => {
      isWriteScheduled = false;
      writeWaiting();
    });
  }

  function writeWaiting(): void {
    while (waiting.length > 0 && writesInFlight < maxWrites) {
      const size = nextSize();
      if (size === 0) {
        waitForItems();
        return;
      }
      void run(nextBatch(size));
    }
  }

  /** The maximum items of the next write; 0 to wait for more items. */
  function nextSize(): number {
    if (waiting.length >= batchSizes.max || closed) return batchSizes.max;
    return timing.nextSize(waiting.length, itemsInFlight, oldestWriteStart(), now());
  }

  /** The start of the oldest write in flight, or now. */
  function oldestWriteStart(): number {
    return batches.find(({ holdsWriteSlot }) => holdsWriteSlot)?.began ?? now();
  }

  /** Waits until more items arrive, a write ends, or the time is up. */
  function waitForItems(): void {
    const until = timing.waitUntil(itemsInFlight, oldestWriteStart());
    // A timer would take longer than that. Beside a write it may, because the end of the write also calls writeWaiting.
    if (itemsInFlight === 0 && until - now() < 1) {
      scheduleWrite();
      return;
    }
    if (waitTimer && waitTimer.until <= until) return;
    waitTimer?.cancel();
    const onTimer = () => {
      waitTimer = undefined;
      writeWaiting();
    };
    waitTimer = { until, cancel: after(Math.max(1, Math.ceil(until - now())), onTimer, true) };
  }

  /** Takes the oldest items off the queue, within both limits, but at least one. */
  function nextBatch(max: number): Batch<T, K, R> {
    let count = 0;
    let size = 0;
    for (const item of waiting) {
      if (count === max || (count > 0 && size + item.size > maxBatchSize)) break;
      count += 1;
      size += item.size;
    }
    const began = now();
    const batch: Batch<T, K, R> = {
      items: firstOfEachKey(waiting.slice(0, count)),
      count,
      began,
      deadline: began + timeoutMs,
      successes: breaker.successes,
      holdsWriteSlot: true,
      isRunning: true,
    };
    waiting = waiting.slice(count);
    batches.push(batch);
    writesInFlight += 1;
    itemsInFlight += count;
    return batch;
  }

  // State: in flight

  /** Writes a batch and settles its conflicts, until every item is settled or queued again. */
  async function run(batch: Batch<T, K, R>): Promise<void> {
    try {
      const conflicting = await write(batch);
      releaseWriteSlot(batch);
      if (conflicting.length > 0) await retry(() => settleConflicts(conflicting, batch.deadline), batch.deadline);
    } catch (error) {
      failedIfUnsafe(error);
      rejectAll(batch.items, error);
      releaseWriteSlot(batch);
    }
    batches = batches.filter((each) => each !== batch);
  }

  /** Opens the circuit whatever else succeeds, because later items could be lost. */
  function failedIfUnsafe(error: unknown): void {
    if (isOf(errors.Unsafe, error)) breaker.failed(error as Error, breaker.successes);
  }

  /** Lets the next batch be written. */
  function releaseWriteSlot(batch: Batch<T, K, R>): void {
    if (!batch.holdsWriteSlot) return;
    batch.holdsWriteSlot = false;
    writesInFlight -= 1;
    itemsInFlight -= batch.count;
    writeWaiting();
  }

  /**
   * Writes a batch, settles its items, and returns those that conflict.
   *
   * A write has `timeoutMs` from its start, however long its items were queued, because the circuit breaker measures the engine
   * and not the queue. After a timeout the write counts as failed, and its result is ignored.
   */
  async function write(batch: Batch<T, K, R>): Promise<Items<T, K, R>> {
    const { items, began, deadline, successes } = batch;
    if (breaker.rejection) throw breaker.rejection;
    let outcomes: readonly Outcome<R>[];
    try {
      outcomes = await retry(() => outcomesOf(items, deadline), deadline);
    } catch (error) {
      if (!batch.isRunning) return [];
      reportWrite('failed', batch);
      if (isOf(errors.Unavailable, error)) breaker.failed(error as Error, successes);
      throw error;
    }
    if (!batch.isRunning) return [];
    latestWriteMs = now() - began;
    batchSizes.record(items.length, latestWriteMs);
    reportWrite('done', batch);
    breaker.succeeded();

    const unsettledBefore = unsettled;
    const isCommitted = outcomes.some((outcome) => typeof outcome === 'object' && 'done' in outcome);
    settleAll(items, outcomes);
    const settledCount = unsettledBefore - unsettled;
    if (isCommitted && settledCount > 0) timing.committed(settledCount, began, now());
    return items.filter(hasWaiter);
  }

  async function outcomesOf(items: Items<T, K, R>, deadline: number): Promise<readonly Outcome<R>[]> {
    // Stops retries that no caller waits for, because the engine is closing.
    if (closed && unsettled === 0) throw new errors.Unavailable(messages.closed);
    return checkedOutcomes(items, await engine.write(contentsOf(items), deadline));
  }

  function reportWrite(outcome: 'done' | 'failed', batch: Batch<T, K, R>): void {
    batch.isRunning = false;
    const contexts = events.context && withDuplicates(batch.items).map(({ context }) => context as C);
    events.wrote?.(outcome, batch.items.length, (now() - batch.began) / 1_000, contexts);
  }

  // State: conflicting

  /** Polls, because waiting for a lock in the engine would hold a connection. */
  async function settleConflicts(items: Items<T, K, R>, deadline: number): Promise<void> {
    if (!engine.settle) throw new Error('write left items in conflict, and there is no settle');
    let left = items.filter(hasWaiter);
    for (let attempt = 0; left.length > 0; attempt += 1) {
      settleAll(left, checkedOutcomes(left, await engine.settle(contentsOf(left), deadline)));
      left = left.filter(hasWaiter);
      if (left.length === 0) return;
      const pause = backoffMs(attempt, FIRST_SETTLE_PAUSE_MS, MAX_SETTLE_PAUSE_MS);
      if (now() + pause > deadline - SETTLE_MARGIN_MS)
        throw new errors.Unavailable(messages.unsettled(left.map(({ key }) => key)));
      await sleep(pause);
      left = left.filter(hasWaiter);
    }
  }

  // State: settled. A promise settles once and ignores later results.

  /** Settles all items but those that conflict. If one is refused, its duplicates are queued again. */
  function settleAll(items: Items<T, K, R>, outcomes: readonly Outcome<R>[]): void {
    for (const [at, item] of items.entries()) {
      const outcome = outcomes[at] as Outcome<R>;
      if (outcome === 'conflict') continue;
      if ('done' in outcome) resolve(item, outcome.done);
      else {
        reject(item, outcome.refused);
        if (item.duplicates) requeue(item.duplicates.filter(hasWaiter));
        item.duplicates = undefined;
      }
    }
  }

  /** Keeps the queue sorted by age, because {@link isOverloaded} looks at the first item. */
  function requeue(items: Items<T, K, R>): void {
    waiting = [...items, ...waiting].toSorted((a, b) => a.deadline - b.deadline);
    scheduleWrite();
  }

  function resolve(item: Item<T, K, R>, result: R): void {
    markSettled(item);
    item.resolve(result);
    if (!item.duplicates) return;
    for (const each of item.duplicates) resolve(each, spec.repeat ? spec.repeat(result, item.content) : result);
  }

  function reject(item: Item<T, K, R>, reason: unknown): void {
    markSettled(item);
    item.reject(reason);
  }

  function rejectAll(items: Items<T, K, R>, reason: unknown): void {
    for (const item of withDuplicates(items)) reject(item, reason);
  }

  function markSettled(item: Item<T, K, R>): void {
    if (item.settled) return;
    item.settled = true;
    unsettled -= 1;
    if (unsettled === 0) onDrained();
  }

  /** One timer for all deadlines, set for the earliest: a timer for each item would cost more than the queue. */
  function setDeadlineTimer(ms: number): void {
    if (hasDeadlineTimer) return;
    hasDeadlineTimer = true;
    after(ms, () => {
      rejectExpired();
      hasDeadlineTimer = false;
      const next = nextDeadline();
      if (next < Infinity) setDeadlineTimer(Math.max(1, Math.ceil(next - now())));
    });
  }

  function rejectExpired(): void {
    const time = now();
    const timeout = timedOut();
    for (const item of trackedItems()) if (item.deadline <= time) reject(item, timeout);
    waiting = waiting.filter((item) => !item.settled);
    for (const batch of batches) {
      if (!batch.isRunning || batch.deadline > time) continue;
      breaker.failed(timeout, batch.successes);
      batchSizes.record(batch.items.length, timeoutMs);
      reportWrite('failed', batch);
    }
    // Abandoned writes continue, but no longer delay the next one.
    for (const batch of batches) if (isAbandoned(batch)) releaseWriteSlot(batch);
    batches = batches.filter((batch) => batch.isRunning || !isAbandoned(batch));
  }

  function nextDeadline(): number {
    let next = Infinity;
    for (const item of trackedItems()) if (!item.settled) next = Math.min(next, item.deadline);
    for (const { isRunning, deadline } of batches) if (isRunning) next = Math.min(next, deadline);
    return next;
  }

  const trackedItems = () => [...batches.flatMap(({ items }) => withDuplicates(items)), ...waiting];

  // Probing and closing

  async function check(): Promise<void> {
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

  async function close(): Promise<void> {
    waitTimer?.cancel();
    writeWaiting();
    const drained = new Promise<void>((done) => {
      onDrained = done;
      if (unsettled === 0) done();
    });
    await Promise.allSettled([drained, ...checks]);
    breaker.end();
    await engine.close();
  }

  return {
    submit,
    check: () => (closed ? rejectClosed() : check()),
    // Deferred, so that `closed` is set before items are written.
    close: () => (closed ??= Promise.resolve().then(close)),
  };
}

/** An item and its caller's promise. */
interface Item<T, K, R> {
  readonly content: T;
  readonly key: K;
  readonly size: number;
  /** A time of the platform's clock. */
  readonly deadline: number;
  readonly context: unknown;
  readonly resolve: (result: R) => void;
  readonly reject: (reason: unknown) => void;
  settled: boolean;
  /** Later items with the same key, whose results depend on the outcome of this one. */
  duplicates: Item<T, K, R>[] | undefined;
}

type Items<T, K, R> = readonly Item<T, K, R>[];

/** Items that left the queue together and are written together. Only the first of equal keys is in `items`. */
interface Batch<T, K, R> {
  readonly items: Items<T, K, R>;
  /** The number of items, duplicates included. */
  readonly count: number;
  readonly began: number;
  /** The deadline of the write, a time of the platform's clock. */
  readonly deadline: number;
  /** The successes of the circuit breaker when the batch started. */
  readonly successes: number;
  /** Whether the batch counts towards `maxWrites`. */
  holdsWriteSlot: boolean;
  /** Whether the write has neither ended nor timed out. */
  isRunning: boolean;
}

/** Whether all callers of a batch have a result or an error. */
const isAbandoned = ({ items }: Batch<unknown, unknown, never>) => !items.some(hasWaiter);

/** Whether the caller of the item or of a duplicate still waits. */
function hasWaiter({ settled, duplicates }: Item<unknown, unknown, never>): boolean {
  return !settled || (duplicates?.some((duplicate) => !duplicate.settled) ?? false);
}

/** Groups items by key: the first of each key, with the later ones as its duplicates. */
function firstOfEachKey<T, K, R>(items: Items<T, K, R>): Items<T, K, R> {
  // At a low rate most batches have one item, and a Map is expensive.
  if (items.length === 1) return items;
  const firsts = new Map<K, Item<T, K, R>>();
  for (const item of items) {
    const first = firsts.get(item.key);
    if (!first) firsts.set(item.key, item);
    else if (first.duplicates) first.duplicates.push(item);
    else first.duplicates = [item];
  }
  return [...firsts.values()];
}

function withDuplicates<T, K, R>(items: Items<T, K, R>): Items<T, K, R> {
  return items.flatMap((item) => [item, ...(item.duplicates ?? [])]);
}

function contentsOf<T, K, R>(items: Items<T, K, R>): readonly T[] {
  return items.map(({ content }) => content);
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
