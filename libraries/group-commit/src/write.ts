import type { BatchEngine } from './batch-engine.ts';
import { toError } from './errors.ts';
import type { GroupCommitEvents } from './events.ts';
import { type Platform, pause, withTimeout } from './platform.ts';
import { type Entries, type Entry, isAwaited } from './queue.ts';
import type { Watch } from './watch.ts';

/** What a writer works with. */
interface Parts<T, K, R> {
  readonly engine: BatchEngine<T, R>;
  readonly entries: Entries<T, K, R>;
  readonly watch: Watch;
  readonly events: GroupCommitEvents;
  readonly platform: Platform;
  /** If it is 1, the parts of a batch are not written at the same time either. */
  readonly maxWrites: number;
  /** Makes the error of a write that has not ended when no caller waits any more. */
  readonly timedOut: () => Error;
  /** Puts entries back into the queue. */
  readonly requeue: (batch: readonly Entry<T, K, R>[]) => void;
}

/**
 * Writes batches, and settles each entry or sees to it that it is written again: batches are split, locked items have a lane of their
 * own, and transient errors are tried again. A batch ends once it is not being written any more. It gives every error to the callers.
 */
export function writer<T, K, R>(parts: Parts<T, K, R>): (batch: readonly Entry<T, K, R>[]) => Promise<void> {
  const { engine, entries, watch, events, platform, maxWrites, timedOut, requeue } = parts;
  const { now } = platform;
  type Batch = readonly Entry<T, K, R>[];
  /** Writes what others have locked: one entry at a time, because the engine may wait for each lock. */
  let lane = Promise.resolve();

  async function write(given: Batch): Promise<void> {
    const batch = given.filter(isAwaited);
    try {
      if (watch.failure) entries.reject(batch, watch.failure);
      else if (batch.length > 0) await attempt(batch);
    } catch (thrown) {
      entries.reject(batch, toError(thrown));
    }
  }

  async function attempt(batch: Batch): Promise<void> {
    const began = now();
    let deadline = 0;
    for (const { callers } of batch) deadline = Math.max(deadline, callers.at(-1)?.deadline ?? 0);
    let late: Error | undefined;
    const onTimeout = () => (late = timedOut());
    const results = await withTimeout(callEngine(batch, deadline), deadline - began, onTimeout, platform).catch(
      toError,
    );
    const passing: Entry<T, K, R>[] = [];
    const blamed: Entry<T, K, R>[] = [];
    let done = 0;
    for (const [at, entry] of batch.entries()) {
      const result = results instanceof Error ? results : (results[at] as R | Error);
      if (!(result instanceof Error)) {
        entries.resolve(entry, result);
        done += 1;
        continue;
      }
      // Callers that have joined since the write began may have time left.
      const failure = result === late ? 'transient' : (engine.classify?.(result) ?? 'other');
      // Another item of the batch may have been refused.
      entry.error = failure === 'refused' ? undefined : result;
      if (failure === 'other') entries.reject([entry], result);
      else if (failure === 'transient') passing.push(entry);
      else if (batch.length > 1) blamed.push(entry);
      else if (failure === 'locked') waitForLock(entry);
      else {
        done = 1;
        void refuse(entry, result);
      }
    }
    const seconds = (now() - began) / 1_000;
    if (done > 0) events.wrote?.('done', done, seconds);
    if (done < batch.length) events.wrote?.('failed', batch.length - done, seconds);
    if (passing.length > 0) retry(passing);
    if (blamed.length > 0) await writeInParts(blamed);
  }

  async function callEngine(batch: Batch, deadline: number): Promise<readonly (R | Error)[]> {
    const items = batch.map(({ first }) => first.item);
    const results = await engine.write(items, deadline);
    if (results.length === items.length) return results;
    throw new Error(`the engine gave ${results.length} results for ${items.length} items`);
  }

  async function writeInParts(batch: Batch): Promise<void> {
    const size = Math.ceil(batch.length / SPLIT);
    const writes: Promise<void>[] = [];
    for (let at = 0; at < batch.length; at += size) {
      const writing = write(batch.slice(at, at + size));
      // At once, because an engine knows sooner that an item is refused than that others are stored.
      if (maxWrites === 1) await writing;
      writes.push(writing);
    }
    await Promise.all(writes);
  }

  /** The engine itself may be at fault, and would refuse every item. The batch does not wait until that is known. */
  async function refuse(entry: Entry<T, K, R>, error: Error): Promise<void> {
    try {
      await watch.confirm();
      const next = entries.rejectFirst(entry, error);
      if (next) requeue([next]);
    } catch (fault) {
      entries.reject([entry], toError(fault));
    }
  }

  function retry(batch: Batch): void {
    noticeRetry();
    void pause(platform, RETRY_PAUSE_MS * (0.5 + Math.random() / 2)).then(() => requeue(batch));
  }

  function waitForLock(entry: Entry<T, K, R>): void {
    noticeRetry();
    lane = lane.then(async () => {
      if (!isAwaited(entry)) return;
      await pause(platform, RETRY_PAUSE_MS);
      await write([entry]);
    });
  }

  function noticeRetry(): void {
    watch.arrived();
    events.retried?.();
  }

  return write;
}

/** 20 ms: a few commits. The pause before a retry is at least half as long, at random, so that two writers part. */
const RETRY_PAUSE_MS = 20;

/** 4: with halves, the items beside a refused one wait longer, and with 8 parts there are more writes. */
const SPLIT = 4;
