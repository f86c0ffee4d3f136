import { type Entries, type Entry, isAwaited } from './entries.ts';
import { toError } from './errors.ts';
import type { GroupCommitEvents } from './events.ts';
import { type Platform, pause } from './platform.ts';
import type { Watch } from './watch.ts';
import type { Attempt, Verdict } from './write.ts';

/** What a recovery works on. */
interface Parts<T, K, R> {
  readonly attempt: Attempt<T, K, R>;
  readonly entries: Entries<T, K, R>;
  readonly watch: Watch;
  readonly events: Pick<GroupCommitEvents, 'retried'>;
  readonly platform: Platform;
  /** If it is 1, the parts of a batch are not written at the same time either. */
  readonly maxWrites: number;
  /** Puts entries back into the queue. */
  readonly requeue: (batch: readonly Entry<T, K, R>[]) => void;
}

/**
 * Writes batches, and settles each entry or sees to it that it is written again: batches are split, locked items have a lane of their
 * own, and transient errors are tried again. A batch ends once it is not being written any more. It gives every error to the callers.
 *
 * @returns a function that writes a batch, the whole of which is attempted by its second argument.
 */
export function recovery<T, K, R>(parts: Parts<T, K, R>) {
  const { attempt, entries, watch, events, platform, maxWrites, requeue } = parts;
  type Batch = readonly Entry<T, K, R>[];
  /** The entries that other writers have locked. */
  const locked: Entry<T, K, R>[] = [];
  let isLaneBusy = false;

  async function write(given: Batch, attemptWhole = attempt): Promise<void> {
    const batch = given.filter(isAwaited);
    try {
      if (watch.failure) entries.reject(batch, watch.failure);
      else if (batch.length > 0) await settle(batch, await attemptWhole(batch));
    } catch (thrown) {
      entries.reject(batch, toError(thrown));
    }
  }

  /** Everything else is settled before a part is written again. */
  async function settle(batch: Batch, verdicts: readonly Verdict<R>[]): Promise<void> {
    const passing: Entry<T, K, R>[] = [];
    const blamed: Entry<T, K, R>[] = [];
    for (const [at, verdict] of verdicts.entries()) {
      const entry = batch[at] as Entry<T, K, R>;
      if ('result' in verdict) entries.resolve(entry, verdict.result);
      else if (verdict.failure === 'other') entries.reject([entry], verdict.error);
      else if (verdict.failure === 'refused' && batch.length === 1) void refuse(entry, verdict.error);
      else {
        // Another item of the batch may have been refused.
        entry.error = verdict.failure === 'refused' ? undefined : verdict.error;
        if (verdict.failure === 'transient') passing.push(entry);
        else if (batch.length > 1) blamed.push(entry);
        else waitForLock(entry);
      }
    }
    if (passing.length > 0) retry(passing);
    const size = Math.ceil(blamed.length / SPLIT);
    const splits: Promise<void>[] = [];
    for (let at = 0; at < blamed.length; at += size) {
      const split = write(blamed.slice(at, at + size));
      // At once, because an engine knows sooner that an item is refused than that others are stored.
      if (maxWrites === 1) await split;
      splits.push(split);
    }
    await Promise.all(splits);
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
    void pause(platform, RETRY_MS * (0.5 + Math.random() / 2)).then(() => requeue(batch));
  }

  function waitForLock(entry: Entry<T, K, R>): void {
    noticeRetry();
    locked.push(entry);
    if (!isLaneBusy) void writeLocked();
  }

  /** One at a time, because the engine may wait for each lock. */
  async function writeLocked(): Promise<void> {
    isLaneBusy = true;
    for (let entry = locked.shift(); entry; entry = locked.shift()) {
      if (!isAwaited(entry)) continue;
      await pause(platform, RETRY_MS);
      await write([entry]);
    }
    isLaneBusy = false;
  }

  function noticeRetry(): void {
    watch.arrived();
    events.retried?.();
  }

  return write;
}

/** 20 ms: a few commits. The pause before a retry is up to half as long, at random, so that two writers part. */
const RETRY_MS = 20;

/** 4: beside four clients with refused items, others keep 0.94 of their rate, and 0.71 with halves (virtual time). 8 cost more writes. */
const SPLIT = 4;
