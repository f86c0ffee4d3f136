import type { BatchEngine, ItemSpec } from './batch-engine.ts';
import { Overloaded, Unavailable } from './errors.ts';
import type { GroupCommitEvents } from './events.ts';
import { type GroupCommitLimits, groupCommitLimits, parseLimits } from './limits.ts';
import { alarm, type Platform, processPlatform } from './platform.ts';
import { type Caller, createQueue, Entries, type Entry, isAwaited } from './queue.ts';
import { watchEngine } from './watch.ts';
import { writer } from './write.ts';

/** Writes single items in batches, with a result for each item. */
export interface GroupCommit<T, R> {
  /**
   * Writes an item. Settles within `timeoutMs`.
   *
   * @throws {Unavailable} if the engine cannot respond in time. Whether the item was written is then unknown.
   * @throws {Error} the engine's error for this item, or that of its latest probe.
   */
  submit(item: T): Promise<R>;
  /**
   * Resolves if the engine's latest probe passed, and throws its error if not. It is at most a second old while items arrive or it
   * failed, and ten seconds otherwise. Settles within `timeoutMs`.
   */
  check(): Promise<void>;
  /** Lets items in flight finish, and closes the engine. Later calls throw {@link Unavailable}. */
  close(): Promise<void>;
}

/**
 * Group commit: writes the items that are waiting together, with one commit for all of them.
 *
 * A lone item is written as soon as the input that arrived with it is processed. Beside a batch that is being written, another one begins
 * when it has as many items, or its oldest has waited for 20 ms. An item is rejected at once while too many wait, or for too long, and
 * while the latest probe of the engine has failed.
 *
 * @throws {RangeError} if a limit is out of range.
 */
export function groupCommit<T, K, R>(
  engine: BatchEngine<T, R>,
  spec: ItemSpec<T, K, R>,
  givenLimits: GroupCommitLimits = {},
  events: GroupCommitEvents = {},
  platform: Platform = processPlatform,
): GroupCommit<T, R> {
  type Batch = readonly Entry<T, K, R>[];
  const limits = parseLimits(groupCommitLimits, givenLimits);
  const { timeoutMs, maxWaiting, maxWaitMs, maxWrites } = limits;
  const {
    errors = { Unavailable, Overloaded },
    snapshot = (item) => item,
    measure = () => 0,
    repeat = (result) => result,
  } = spec;
  const { now, defer } = platform;
  const timedOut = () => new errors.Unavailable(`no response within ${timeoutMs} ms`);
  const entries = new Entries<T, K, R>(repeat);
  const queue = createQueue<T, K, R>(limits, now);
  const watch = watchEngine(engine, events, platform, timeoutMs, timedOut);
  const writeBatch = writer({ engine, entries, watch, events, platform, maxWrites, timedOut, requeue: enqueue });
  /** The batches that are being written and that somebody waits for. */
  const inFlight = new Set<Batch>();
  const expireAt = alarm(platform, expire);
  const writeDueAt = alarm(platform, writeDue);
  let isDeferred = false;
  let closed: Promise<void> | undefined;
  events.watchWaiting?.(() => entries.waiting);

  async function submit(given: T): Promise<R> {
    if (closed) throw new errors.Unavailable('it is closed');
    watch.arrived();
    if (watch.failure) throw watch.failure;
    if (entries.waiting >= maxWaiting || queue.waitedMs >= maxWaitMs)
      throw new errors.Overloaded(
        `${entries.waiting} items are waiting, the oldest for ${Math.round(queue.waitedMs)} ms`,
      );
    const item = snapshot(given);
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    const caller: Caller<T, R> = { item, size: measure(item), deadline: now() + timeoutMs, resolve, reject };
    const entry = entries.add(spec.toKey(item), caller);
    expireAt(caller.deadline);
    if (entry) enqueue([entry]);
    return promise;
  }

  function enqueue(batch: Batch): void {
    queue.push(batch.filter(isAwaited));
    wake();
  }

  /** Writes what is due, after the input that has already arrived is processed. */
  function wake(): void {
    if (isDeferred || queue.length === 0) return;
    isDeferred = true;
    defer(() => {
      isDeferred = false;
      writeDue();
    });
  }

  function writeDue(): void {
    while (queue.length > 0 && isDue()) void write(queue.take());
    if (queue.length > 0 && inFlight.size < maxWrites) writeDueAt(now() + HOLD_MS - queue.waitedMs);
  }

  /** Clients return once their batch is written: a batch of a few would miss most of them, and cost a commit. */
  function isDue(): boolean {
    if (inFlight.size === 0) return true;
    if (inFlight.size >= maxWrites) return false;
    let items = 0;
    for (const batch of inFlight) items += batch.filter(isAwaited).length;
    return queue.length >= items || queue.waitedMs >= HOLD_MS;
  }

  async function write(batch: Batch): Promise<void> {
    const began = now();
    inFlight.add(batch);
    await writeBatch(batch);
    inFlight.delete(batch);
    queue.adapt(batch.length, now() - began);
    wake();
  }

  /** One timer for all deadlines: a timer for each item would cost more than the queue. */
  function expire(): void {
    const next = entries.rejectExpired(now(), timedOut);
    if (next !== undefined) expireAt(next);
    queue.dropExpired();
    writeDue();
  }

  async function end(): Promise<void> {
    await entries.drained();
    await watch.end();
    await engine.close();
  }

  return {
    submit,
    async check() {
      if (closed) throw new errors.Unavailable('it is closed');
      await watch.check();
    },
    close: () => (closed ??= end()),
  };
}

/** 20 ms: a few commits. Beyond that the batch in flight is slow, and the next one had better begin beside it. */
const HOLD_MS = 20;
