import type { BatchEngine, ItemSpec, Outcome } from './batch-engine.ts';
import { batchSize } from './batch-size.ts';
import { circuitBreaker } from './circuit-breaker.ts';
import { ownErrors } from './errors.ts';
import type { GroupCommitEvents } from './events.ts';
import { type GroupCommitLimits, groupCommitLimits, limitsOf } from './limits.ts';
import { neutralMessages } from './messages.ts';
import { type Platform, processPlatform, withTimeout } from './platform.ts';
import { backoffMs, retries } from './retries.ts';
import { sharedProbe } from './shared-probe.ts';
import { writeTiming } from './write-timing.ts';

/** An engine that writes in batches, with an answer for each item. */
export interface GroupCommit<T, R> {
  /**
   * Writes an item. It settles within `timeoutMs`, everything included.
   *
   * @throws {Unavailable} if the engine cannot answer in time; whether the item was written is then unknown.
   * @throws {Error} what the engine refuses this very item with.
   */
  submit(item: T): Promise<R>;
  /** Resolves if the engine could write an item now; throws {@link Unavailable} within `timeoutMs` if not. */
  check(): Promise<void>;
  /** Lets what is in flight finish, and closes the engine. Whatever comes later throws {@link Unavailable}. */
  close(): Promise<void>;
}

/**
 * Group commit: writes the items that are waiting together, with one commit for all of them.
 *
 * A lone client waits for no others: its item is written as soon as the input that came with it has been processed. Others wait
 * for those that usually arrive within a commit, as {@link writeTiming} says. An item is refused
 * at once while the queue is full or its oldest item has waited for `maxWaitMs`, and while the engine does not respond.
 *
 * An item is in one of these states, in the order of this file:
 * - queued: in `waiting`;
 * - in flight: in a batch of `batches`, which is being written; of equal keys only the first, the others are its repeats;
 * - conflicting: still in its batch, while `settle` finds out its outcome, and the next batch is written;
 * - settled: its caller has its answer, be it only that the deadline has passed.
 *
 * @throws {RangeError} when a limit is out of its range.
 */
export function groupCommit<T, K, R>(
  engine: BatchEngine<T, R>,
  spec: ItemSpec<T, K, R>,
  limits: GroupCommitLimits = {},
  events: GroupCommitEvents = {},
  platform: Platform = processPlatform,
): GroupCommit<T, R> {
  const { timeoutMs, maxBatch, maxBatchSize, maxWaiting, maxWaitMs, maxWrites } = limitsOf(groupCommitLimits, limits);
  const { errors = ownErrors, messages = neutralMessages } = spec;
  const { now, sleep, after, defer } = platform;
  const sizes = batchSize(maxBatch, maxWaitMs / 2);
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

  // Arrays: while things come and go, the tables of a Map or Set keep one another, and what they held, alive in the old
  // generation. There are only a few of each.
  let waiting: Item<T, K, R>[] = [];
  let batches: Batch<T, K, R>[] = [];
  /** Of the batches, those that count as one of `maxWrites`; and their items, repeats included. */
  let writing = 0;
  let inFlight = 0;
  let unsettled = 0;
  let isDeferred = false;
  /** The timer that asks again whether the waiting items should be written. */
  let gathering: { readonly until: number; readonly cancel: () => void } | undefined;
  let isWatching = false;
  const checks = new Set<Promise<void>>();
  let onDrained = () => {};
  let closed: Promise<void> | undefined;
  events.watchWaiting?.(() => waiting.length);

  const timedOut = () => new errors.Unavailable(messages.timedOut(timeoutMs));
  const overloaded = () => new errors.Overloaded(messages.overloaded(waiting.length));
  const refuseClosed = () => Promise.reject(new errors.Unavailable(messages.closed));

  // Queued

  function submit(item: T): Promise<R> {
    if (closed) return refuseClosed();
    const { refusal } = breaker;
    if (refusal) return Promise.reject(refusal);
    if (isOverloaded()) return Promise.reject(overloaded());
    return new Promise((resolve, reject) => {
      const content = spec.snapshot ? spec.snapshot(item) : item;
      const key = spec.keyOf(content);
      const size = spec.sizeOf ? spec.sizeOf(content) : 0;
      const deadline = now() + timeoutMs;
      waiting.push({ content, key, size, deadline, resolve, reject, settled: false, repeats: undefined });
      unsettled += 1;
      watch(timeoutMs);
      timing.arrived(now());
      if (writing < maxWrites) writeSoon();
    });
  }

  /**
   * Whether the queue is full, or moves so slowly that another item would wait too long. Where batches had to become smaller, one
   * takes half of `maxWaitMs`: so many are written in time.
   */
  function isOverloaded(): boolean {
    const [oldest] = waiting;
    const most = sizes.most < maxBatch ? Math.min(maxWaiting, 2 * maxWrites * sizes.most) : maxWaiting;
    return oldest !== undefined && (waiting.length >= most || now() - oldest.deadline + timeoutMs >= maxWaitMs);
  }

  /** Once the input that has arrived has been processed. */
  function writeSoon(): void {
    if (isDeferred) return;
    isDeferred = true;
    defer(() => {
      isDeferred = false;
      writeWaiting();
    });
  }

  function writeWaiting(): void {
    while (waiting.length > 0 && writing < maxWrites) {
      const most = nextSize();
      if (most === 0) {
        gather();
        return;
      }
      void run(nextBatch(most));
    }
  }

  /** The most items that the next write should have; 0 if they should wait for others, of whom none come after the end. */
  function nextSize(): number {
    if (waiting.length >= sizes.most || closed) return sizes.most;
    return timing.next(waiting.length, inFlight, oldestWrite(), now());
  }

  /** When it began, or now. */
  function oldestWrite(): number {
    return batches.find(({ isWriting }) => isWriting)?.began ?? now();
  }

  /** Until more items arrive, a write ends, or the time is up. */
  function gather(): void {
    const until = timing.until(inFlight, oldestWrite());
    // A timer would wait for longer. Beside a write it may, since the end of the write asks again.
    if (inFlight === 0 && until - now() < 1) {
      writeSoon();
      return;
    }
    if (gathering && gathering.until <= until) return;
    gathering?.cancel();
    const asksAgain = () => {
      gathering = undefined;
      writeWaiting();
    };
    gathering = { until, cancel: after(Math.max(1, Math.ceil(until - now())), asksAgain, true) };
  }

  /** Those that have waited longest, within both bounds, but at least one. */
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
      isWriting: true,
      isPending: true,
    };
    waiting = waiting.slice(count);
    batches.push(batch);
    writing += 1;
    inFlight += count;
    return batch;
  }

  // In flight

  /** Takes a batch from its write until all of its items are settled, or are in the queue again. */
  async function run(batch: Batch<T, K, R>): Promise<void> {
    try {
      const conflicting = await write(batch);
      endWriting(batch);
      if (conflicting.length > 0) await retry(() => untilSettled(conflicting, batch.deadline), batch.deadline);
    } catch (error) {
      rejectAll(batch.items, error);
      endWriting(batch);
    }
    batches = batches.filter((each) => each !== batch);
  }

  /** The next batch may be written. */
  function endWriting(batch: Batch<T, K, R>): void {
    if (!batch.isWriting) return;
    batch.isWriting = false;
    writing -= 1;
    inFlight -= batch.count;
    writeWaiting();
  }

  /**
   * Writes a batch, and settles all of its items but those that it returns, which conflict.
   *
   * A write has `timeoutMs` from its own beginning, however long its items have waited for it: the speed of the engine is
   * what counts for the circuit breaker, not the length of the queue. A write that takes longer has failed; it goes on,
   * and its end is ignored.
   */
  async function write(batch: Batch<T, K, R>): Promise<Items<T, K, R>> {
    const { items, began, deadline, successes } = batch;
    if (breaker.refusal) throw breaker.refusal;
    let outcomes: readonly Outcome<R>[];
    try {
      outcomes = await retry(() => outcomesOf(items, deadline), deadline);
    } catch (error) {
      if (!batch.isPending) return [];
      reportWrite('failed', batch);
      if (error instanceof errors.Unavailable) breaker.failed(error, successes);
      throw error;
    }
    if (!batch.isPending) return [];
    sizes.ended(items.length, now() - began);
    reportWrite('done', batch);
    breaker.succeeded();

    const before = unsettled;
    const isCommitted = outcomes.some((outcome) => typeof outcome === 'object' && 'done' in outcome);
    settleAll(items, outcomes);
    const answered = before - unsettled;
    if (isCommitted && answered > 0) timing.ended(answered, began, now());
    return items.filter(isAwaited);
  }

  async function outcomesOf(items: Items<T, K, R>, deadline: number): Promise<readonly Outcome<R>[]> {
    // The retry of a write that nobody waits for any more: the engine is closing.
    if (closed && unsettled === 0) throw new errors.Unavailable(messages.closed);
    return oneForEach(items, await engine.write(contentsOf(items), deadline));
  }

  function reportWrite(outcome: 'done' | 'failed', batch: Batch<T, K, R>): void {
    batch.isPending = false;
    events.wrote?.(outcome, batch.items.length, (now() - batch.began) / 1_000);
  }

  // Conflicting

  /** Again and again: what somebody else has locked is not waited for in the engine, where it would cost a connection. */
  async function untilSettled(items: Items<T, K, R>, deadline: number): Promise<void> {
    if (!engine.settle) throw new Error('write left items in conflict, and there is no settle');
    let left = items.filter(isAwaited);
    for (let attempt = 0; left.length > 0; attempt += 1) {
      settleAll(left, oneForEach(left, await engine.settle(contentsOf(left), deadline)));
      left = left.filter(isAwaited);
      if (left.length === 0) return;
      const pause = backoffMs(attempt, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
      if (now() + pause > deadline - LAST_ATTEMPT_MS)
        throw new errors.Unavailable(messages.unsettled(left.map(({ key }) => key)));
      await sleep(pause);
      left = left.filter(isAwaited);
    }
  }

  // Settled: once. Its promise ignores later results.

  /** Settles all items but those that conflict. If one is refused, its repeats are tried next. */
  function settleAll(items: Items<T, K, R>, outcomes: readonly Outcome<R>[]): void {
    for (const [at, item] of items.entries()) {
      const outcome = outcomes[at] as Outcome<R>;
      if (outcome === 'conflict') continue;
      if ('done' in outcome) resolve(item, outcome.done);
      else {
        reject(item, outcome.refused);
        if (item.repeats) queueAgain(item.repeats.filter(isAwaited));
        item.repeats = undefined;
      }
    }
  }

  /** By age, since {@link isOverloaded} asks the first of the queue. */
  function queueAgain(items: Items<T, K, R>): void {
    waiting = [...items, ...waiting].toSorted((a, b) => a.deadline - b.deadline);
    writeSoon();
  }

  function resolve(item: Item<T, K, R>, result: R): void {
    markSettled(item);
    item.resolve(result);
    if (!item.repeats) return;
    for (const each of item.repeats) resolve(each, spec.repeat ? spec.repeat(result, item.content) : result);
  }

  function reject(item: Item<T, K, R>, reason: unknown): void {
    markSettled(item);
    item.reject(reason);
  }

  function rejectAll(items: Items<T, K, R>, reason: unknown): void {
    for (const item of items) for (const each of [item, ...(item.repeats ?? [])]) reject(each, reason);
  }

  function markSettled(item: Item<T, K, R>): void {
    if (item.settled) return;
    item.settled = true;
    unsettled -= 1;
    if (unsettled === 0) onDrained();
  }

  /** One timer for all deadlines, set for the first: a timer for each item would cost more than the queue. */
  function watch(ms: number): void {
    if (isWatching) return;
    isWatching = true;
    after(ms, () => {
      passDeadlines();
      isWatching = false;
      const next = nextDeadline();
      if (next < Infinity) watch(Math.max(1, Math.ceil(next - now())));
    });
  }

  function passDeadlines(): void {
    const time = now();
    const late = timedOut();
    for (const item of pending()) if (item.deadline <= time) reject(item, late);
    waiting = waiting.filter((item) => !item.settled);
    for (const batch of batches) {
      if (!batch.isPending || batch.deadline > time) continue;
      breaker.failed(late, batch.successes);
      sizes.ended(batch.items.length, timeoutMs);
      reportWrite('failed', batch);
    }
    // A write that nobody waits for any more goes on, but must not keep the next one waiting.
    for (const batch of batches) if (isOver(batch)) endWriting(batch);
    batches = batches.filter((batch) => batch.isPending || !isOver(batch));
  }

  function nextDeadline(): number {
    let next = Infinity;
    for (const item of pending()) if (!item.settled) next = Math.min(next, item.deadline);
    for (const { isPending, deadline } of batches) if (isPending) next = Math.min(next, deadline);
    return next;
  }

  const pending = () => [
    ...batches.flatMap(({ items }) => items.flatMap((item) => [item, ...(item.repeats ?? [])])),
    ...waiting,
  ];

  // Beside the items

  async function check(): Promise<void> {
    const probed = withTimeout(probe(), timeoutMs, timedOut, platform);
    checks.add(probed);
    try {
      await probed;
      breaker.close();
    } catch (error) {
      if (error instanceof errors.Unsafe) breaker.failed(error, breaker.successes);
      throw error;
    } finally {
      checks.delete(probed);
    }
  }

  async function close(): Promise<void> {
    gathering?.cancel();
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
    check: () => (closed ? refuseClosed() : check()),
    // Once `closed` is set.
    close: () => (closed ??= Promise.resolve().then(close)),
  };
}

/** An item whose caller waits for its answer. */
interface Item<T, K, R> {
  readonly content: T;
  readonly key: K;
  readonly size: number;
  /** By the platform's clock. */
  readonly deadline: number;
  readonly resolve: (result: R) => void;
  readonly reject: (reason: unknown) => void;
  settled: boolean;
  /** Later items of the same key, whose answers depend on the outcome of this one. */
  repeats: Item<T, K, R>[] | undefined;
}

type Items<T, K, R> = readonly Item<T, K, R>[];

/** Items that left the queue together, of equal keys the first, and the write of them. */
interface Batch<T, K, R> {
  readonly items: Items<T, K, R>;
  /** Of the items, repeats included. */
  readonly count: number;
  readonly began: number;
  /** Of the write, by the platform's clock. */
  readonly deadline: number;
  /** Those of the circuit breaker when it began. */
  readonly successes: number;
  /** Whether it counts as one of `maxWrites`. */
  isWriting: boolean;
  /** Whether the write has neither ended nor timed out. */
  isPending: boolean;
}

/** Whether nobody waits for it any more. */
const isOver = ({ items }: Batch<unknown, unknown, never>) => !items.some(isAwaited);

/** Whether the caller of the item, or of a later one with its key, still waits. */
function isAwaited({ settled, repeats }: Item<unknown, unknown, never>): boolean {
  return !settled || (repeats?.some((repeat) => !repeat.settled) ?? false);
}

/** The items to write, each with the later ones of its key as its repeats. */
function firstOfEachKey<T, K, R>(items: Items<T, K, R>): Items<T, K, R> {
  // Most batches at an ordinary rate, for which a Map is dear.
  if (items.length === 1) return items;
  const firsts = new Map<K, Item<T, K, R>>();
  for (const item of items) {
    const first = firsts.get(item.key);
    if (!first) firsts.set(item.key, item);
    else if (first.repeats) first.repeats.push(item);
    else first.repeats = [item];
  }
  return [...firsts.values()];
}

function contentsOf<T, K, R>(items: Items<T, K, R>): readonly T[] {
  return items.map(({ content }) => content);
}

function oneForEach<R>(items: readonly unknown[], outcomes: readonly Outcome<R>[]): readonly Outcome<R>[] {
  if (outcomes.length === items.length) return outcomes;
  throw new Error(
    `the engine gave ${outcomes.length} outcomes for ${items.length} items; it has to give one for each, in their order`,
  );
}

/** 20 ms before the time-out, which would say less than the last attempt: that takes time, and timers may be late. */
const LAST_ATTEMPT_MS = 20;

/** 10 ms: a few commits, which is for how long other writers lock something. */
const FIRST_PAUSE_MS = 10;

/** 160 ms: a dozen attempts a second are no load, however long something is locked. */
const LONGEST_PAUSE_MS = 160;
