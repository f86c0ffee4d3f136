import { admissionControl, TELLING } from './admission-control.ts';
import type { BatchEngine, Done, ItemSpec, Outcome, Refused } from './batch-engine.ts';
import { circuitBreaker, closedCircuit } from './circuit-breaker.ts';
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
 * for those that usually arrive within a commit, as {@link writeTiming} says. An item that would have to wait too long is
 * refused at once, and so are all while the engine does not respond.
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
  engine: BatchEngine<T, K, R>,
  spec: ItemSpec<T, K, R>,
  limits: GroupCommitLimits = {},
  events: GroupCommitEvents = {},
  platform: Platform = processPlatform,
): GroupCommit<T, R> {
  const { timeoutMs, maxBatch, maxBatchSize, maxWaiting, maxWaitMs, maxWrites } = limitsOf(groupCommitLimits, limits);
  const { errors = ownErrors, messages = neutralMessages } = spec;
  const { now, sleep, after, defer } = platform;
  const admission = admissionControl({ maxBatch, maxWrites, maxWaitMs });
  const timing = writeTiming(maxWrites, maxWaitMs * TELLING);
  const probe = sharedProbe(() => engine.probe(), platform);
  const breaker =
    engine.hasCircuitBreaker === false
      ? closedCircuit
      : circuitBreaker(probe, platform, errors, (state) => events.circuit?.(state));
  const retry = retries(
    (error) => engine.isTransient?.(error) ?? false,
    platform,
    () => events.retried?.(),
  );

  // Arrays: while things come and go, the tables of a Map or Set keep one another, and what they held, alive in the old
  // generation. There are only a few of each.
  let waiting: Item<T, K, R>[] = [];
  let batches: Batch<T, K, R>[] = [];
  let writes: Write[] = [];
  /** Of the batches, those that are being written and that somebody waits for; and their items. */
  let writing = 0;
  let inFlight = 0;
  let unsettled = 0;
  let isDeferred = false;
  /** The timer that asks again whether the waiting items should be written. */
  let gathering: { readonly until: number; readonly cancel: () => void } | undefined;
  let isWatching = false;
  const checks = new Set<Promise<void>>();
  let onDrained: (() => void)[] = [];
  let closed: Promise<void> | undefined;
  let isEnded = false;
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
      const own = spec.snapshot ? spec.snapshot(item) : item;
      const size = spec.sizeOf ? spec.sizeOf(own) : 0;
      waiting.push(new Item(own, spec.keyOf(own), size, now() + timeoutMs, resolve, reject));
      unsettled += 1;
      watch(timeoutMs);
      timing.arrived(now());
      if (writing < maxWrites) writeSoon();
    });
  }

  /**
   * Whether the queue is full, or another item would wait too long: by the speed of the engine or, when nothing is
   * written any more and the speed says nothing, because others have waited for half of `timeoutMs` already. A moment
   * in which nothing is written is not an overload.
   */
  function isOverloaded(): boolean {
    if (waiting.length >= maxWaiting) return true;
    if (inFlight + waiting.length === 0) return false;
    const [first] = waiting;
    return (
      waiting.length >= admission.capacity(inFlight, now()) ||
      (first !== undefined && now() - (first.deadline - timeoutMs) > timeoutMs / 2)
    );
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
      const size = nextSize();
      if (size === 0) {
        gather();
        return;
      }
      void run(nextBatch(size));
    }
  }

  /** The most items that the next write should have; 0 if they should wait for others, of whom none come after the end. */
  function nextSize(): number {
    const most = admission.nextBatch();
    if (waiting.length >= most || closed) return most;
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
    const batch = { items: waiting.slice(0, count), began: now(), isWriting: true };
    waiting = waiting.slice(count);
    batches.push(batch);
    writing += 1;
    inFlight += count;
    return batch;
  }

  // In flight

  /** Takes a batch from its write until all of its items are settled. */
  async function run(batch: Batch<T, K, R>): Promise<void> {
    const deadline = now() + timeoutMs;
    try {
      const conflicting = await write(batch.items);
      endWriting(batch);
      if (conflicting.length > 0) await settleConflicts(conflicting, deadline);
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
    inFlight -= batch.items.length;
    writeWaiting();
  }

  /**
   * Writes the items that somebody still waits for, and settles all but those that it returns, which conflict.
   *
   * A write has `timeoutMs` from its own beginning, however long its items have waited for it: the speed of the engine is
   * what counts for the circuit breaker, not the length of the queue. A write that takes longer has failed; it goes on,
   * and its end is ignored.
   */
  async function write(items: Items<T, K, R>): Promise<Items<T, K, R>> {
    const firsts = firstOfEachKey(items);
    if (firsts.length === 0) return firsts;
    const { refusal, successes } = breaker;
    if (refusal) {
      rejectAll(firsts, refusal);
      return [];
    }
    const began = now();
    const deadline = began + timeoutMs;
    const mine: Write = { items: firsts.length, began, deadline, successes, isTimedOut: false };
    writes.push(mine);
    watch(timeoutMs);
    let outcomes: readonly Outcome<R>[];
    try {
      outcomes = await retry(() => outcomesOf(firsts, deadline), deadline);
    } catch (error) {
      writes = writes.filter((each) => each !== mine);
      if (mine.isTimedOut) return [];
      reportWrite('failed', mine);
      if (!(error instanceof errors.Unavailable)) return writeHalves(firsts, error);
      breaker.failed(error, successes);
      rejectAll(firsts, error);
      return [];
    }
    writes = writes.filter((each) => each !== mine);
    if (mine.isTimedOut) return [];
    breaker.succeeded();
    learn(firsts.length, now() - began);
    reportWrite('done', mine);

    const before = unsettled;
    let isCommitted = false;
    const conflicting: Item<T, K, R>[] = [];
    const nextOfRefused: Item<T, K, R>[] = [];
    for (const [at, item] of firsts.entries()) {
      const outcome = outcomes[at] as Outcome<R>;
      if (typeof outcome === 'string') conflicting.push(item);
      else if (settle(item, outcome)) isCommitted = true;
      else if (item.repeats) nextOfRefused.push(...item.repeats);
    }
    const answered = before - unsettled;
    if (isCommitted && answered > 0) timing.ended(answered, began, now());
    return nextOfRefused.length === 0 ? conflicting : [...conflicting, ...(await write(nextOfRefused))];
  }

  /** What the engine rejects because of one item: in halves, until it is alone. Then the next one with its key is tried. */
  async function writeHalves(items: Items<T, K, R>, error: unknown): Promise<Items<T, K, R>> {
    const [first] = items;
    if (first && items.length === 1) {
      reject(first, error);
      return write(first.repeats ?? []);
    }
    const half = items.length >> 1;
    const conflicting = await write(items.slice(0, half));
    return [...conflicting, ...(await write(items.slice(half)))];
  }

  async function outcomesOf(items: Items<T, K, R>, deadline: number): Promise<readonly Outcome<R>[]> {
    const outcomes = await attempt(items, deadline, true);
    if (!outcomes.includes('split')) return outcomes;
    const apart = await writeApart(
      items.filter((_, at) => outcomes[at] === 'split'),
      deadline,
    );
    return items.map((item, at) => apart.get(item) ?? (outcomes[at] as Outcome<R>));
  }

  /**
   * Writes items without waiting for anybody: at once, and if they are in each other's way in halves. Resolves with the
   * outcomes that are known after {@link APART_MS}. Once one is known nothing is thrown. The others conflict.
   */
  async function writeApart(items: Items<T, K, R>, deadline: number): Promise<Map<Item<T, K, R>, Outcome<R>>> {
    const known = new Map<Item<T, K, R>, Outcome<R>>();
    const until = Math.min(deadline, now() + APART_MS);
    const parts = [items];
    try {
      for (let part = parts.pop(); part && now() < until; part = parts.pop()) {
        const outcomes = await outcomesApart(part, deadline);
        for (const [at, item] of part.entries()) {
          const outcome = outcomes[at] as Outcome<R>;
          if (outcome !== 'split') known.set(item, outcome);
        }
        if (part.length > 1) parts.push(...halvesOf(part.filter((_, at) => outcomes[at] === 'split')));
      }
    } catch (error) {
      if (known.size === 0) throw error;
    }
    return known;
  }

  async function outcomesApart(part: Items<T, K, R>, deadline: number): Promise<readonly Outcome<R>[]> {
    try {
      return await attempt(part, deadline, false);
    } catch (error) {
      if (error instanceof errors.Unavailable) throw error;
      return part.map(() => (part.length === 1 ? { refused: error as Error } : 'split'));
    }
  }

  async function attempt(items: Items<T, K, R>, deadline: number, mayWait: boolean): Promise<readonly Outcome<R>[]> {
    // A write that fails once all of its items have timed out would be retried.
    if (isEnded) throw new errors.Unavailable(messages.closed);
    const outcomes = await engine.write(contentsOf(items), deadline, mayWait);
    assertOneForEach(outcomes, items);
    return outcomes;
  }

  function learn(items: number, tookMs: number): void {
    const time = now();
    admission.learn(items, tookMs, time);
    // What was admitted before the engine proved slow would wait for long, and keep out whatever comes behind it.
    const capacity = admission.capacity(inFlight - items, time);
    if (waiting.length <= capacity) return;
    const reason = overloaded();
    for (const item of waiting.slice(capacity)) reject(item, reason);
    waiting = waiting.slice(0, capacity);
  }

  function reportWrite(outcome: 'done' | 'failed', { items, began }: Write): void {
    events.wrote?.(outcome, items, (now() - began) / 1_000);
  }

  // Conflicting

  async function settleConflicts(items: Items<T, K, R>, deadline: number): Promise<void> {
    try {
      await retry(() => untilSettled(items, deadline), deadline);
    } catch (error) {
      rejectAll(items, error);
    }
  }

  /** Again and again: what somebody else has locked is not waited for in the engine, where it would cost a connection. */
  async function untilSettled(items: Items<T, K, R>, deadline: number): Promise<void> {
    if (!engine.settle) throw new Error('write left items in conflict, and there is no settle');
    const byKey = new Map(items.map((item) => [item.key, item]));
    for (let attempt = 0; ; attempt += 1) {
      const left = items.filter(isAwaited);
      if (left.length === 0) return;
      const absent: Item<T, K, R>[] = [];
      await engine.settle(contentsOf(left), deadline, (key, outcome) => {
        const item = byKey.get(key);
        if (!item) return;
        if (outcome === 'absent') absent.push(item);
        else settleWithRepeats(item, outcome);
      });
      if (absent.length > 0)
        for (const [item, outcome] of await writeApart(absent, deadline))
          if (typeof outcome !== 'string') settleWithRepeats(item, outcome);
      const unsettledKeys = left.filter(isAwaited).map(({ key }) => key);
      if (unsettledKeys.length === 0) return;
      const pause = backoffMs(attempt, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
      if (now() + pause > deadline - TO_SAY_WHY_MS) throw new errors.Unavailable(messages.unsettled(unsettledKeys));
      await sleep(pause);
    }
  }

  function settleWithRepeats(item: Item<T, K, R>, outcome: Done<R> | Refused): void {
    if (!settle(item, outcome)) rejectAll([item], (outcome as Refused).refused);
  }

  // Settled: once. Its promise ignores later results.

  /** Settles the item, and if it is done its repeats. Returns whether it is. */
  function settle(item: Item<T, K, R>, outcome: Done<R> | Refused): boolean {
    const isDone = 'done' in outcome;
    if (isDone) resolve(item, outcome.done);
    else reject(item, outcome.refused);
    return isDone;
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
    if (unsettled > 0) return;
    for (const drained of onDrained) drained();
    onDrained = [];
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
    // A write that nobody waits for any more goes on, but must not keep the next one waiting.
    const abandoned = batches.filter(({ items }) => items.every((item) => item.settled));
    batches = batches.filter((batch) => !abandoned.includes(batch));
    for (const batch of abandoned) endWriting(batch);
    const overdue = writes.filter(({ deadline }) => deadline <= time);
    writes = writes.filter((each) => !overdue.includes(each));
    for (const each of overdue) {
      each.isTimedOut = true;
      breaker.failed(late, each.successes);
      reportWrite('failed', each);
    }
  }

  function nextDeadline(): number {
    let next = Infinity;
    for (const item of pending()) if (!item.settled) next = Math.min(next, item.deadline);
    for (const { deadline } of writes) next = Math.min(next, deadline);
    return next;
  }

  const pending = () => [...batches.map(({ items }) => items), waiting].flat();

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
    const drained = new Promise<void>((done) => void (unsettled === 0 ? done() : onDrained.push(done)));
    await Promise.allSettled([drained, ...checks]);
    breaker.end();
    isEnded = true;
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
class Item<T, K, R> {
  readonly content: T;
  readonly key: K;
  readonly size: number;
  /** By the platform's clock. */
  readonly deadline: number;
  readonly resolve: (result: R) => void;
  readonly reject: (reason: unknown) => void;
  settled = false;
  /** Later items of the same key, whose answers depend on the outcome of this one. */
  repeats: Item<T, K, R>[] | undefined;

  constructor(
    content: T,
    key: K,
    size: number,
    deadline: number,
    resolve: (result: R) => void,
    reject: (reason: unknown) => void,
  ) {
    this.content = content;
    this.key = key;
    this.size = size;
    this.deadline = deadline;
    this.resolve = resolve;
    this.reject = reject;
  }
}

type Items<T, K, R> = readonly Item<T, K, R>[];

/** Items that left the queue together. */
interface Batch<T, K, R> {
  readonly items: Items<T, K, R>;
  readonly began: number;
  /** Whether it counts as one of `maxWrites`. */
  isWriting: boolean;
}

/** A write with a time limit of its own; a batch that is written in parts has several, one after the other. */
interface Write {
  readonly items: number;
  readonly began: number;
  readonly deadline: number;
  /** Those of the circuit breaker when it began. */
  readonly successes: number;
  isTimedOut: boolean;
}

/** Whether the caller of the item, or of a later one with its key, still waits. */
function isAwaited({ settled, repeats }: Item<unknown, unknown, never>): boolean {
  return !settled || (repeats?.some((repeat) => !repeat.settled) ?? false);
}

/** The items to write, each with the later ones of its key as its repeats; without those that have timed out. */
function firstOfEachKey<T, K, R>(items: Items<T, K, R>): Items<T, K, R> {
  // Most batches at an ordinary rate, for which a Map is dear.
  if (items.length === 1) return items.filter(isAwaited);
  const firsts = new Map<K, Item<T, K, R>>();
  for (const item of items) {
    if (!isAwaited(item)) continue;
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

/** The first half last, where it is taken from first. */
function halvesOf<Each>(items: readonly Each[]): (readonly Each[])[] {
  const half = items.length >> 1;
  return [items.slice(half), items.slice(0, half)].filter((part) => part.length > 0);
}

function assertOneForEach(outcomes: readonly unknown[], items: readonly unknown[]): void {
  if (outcomes.length === items.length) return;
  throw new Error(
    `write gave ${outcomes.length} outcomes for ${items.length} items; it has to give one for each, in their order`,
  );
}

/** 200 ms: hardly noticed by the others of a batch. */
const APART_MS = 200;

/** Before the time-out, which would say less: the last attempt takes time, and timers may be late. */
const TO_SAY_WHY_MS = 20;

/** 10 ms: a few commits, which is for how long other writers lock something. */
const FIRST_PAUSE_MS = 10;

/** 160 ms: a dozen attempts a second are no load, however long something is locked. */
const LONGEST_PAUSE_MS = 160;
