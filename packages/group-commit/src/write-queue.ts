import { type AddResult, type NewPlant, plantOf, type StoreUnavailable, textLength } from '@plant-store/domain';
import { PendingAdd } from './pending-add.ts';
import type { Platform } from './platform.ts';
import { timeoutError } from './with-timeout.ts';

/** Adds that are written together. */
export interface Batch {
  readonly adds: readonly PendingAdd[];
  /** The deadline of the last of them. */
  readonly deadline: number;
  /** Whether the deadline has passed: nobody waits for the write any more. */
  readonly timedOut: boolean;
}

/** The adds that are not settled yet, in the order in which they came, each with a deadline. */
export interface WriteQueue {
  /** The number of adds that wait to be dequeued. */
  readonly length: number;
  /** How much text they hold, in UTF-16 code units. */
  readonly textLength: number;
  /** How long the first of them has waited, in milliseconds; 0 if there is none. */
  readonly longestWaitMs: number;
  enqueue(plant: NewPlant): Promise<AddResult>;
  /**
   * Takes the adds that have waited longest, within both bounds, but at least one. Their deadlines hold until they are
   * released; `onTimeout` is called when the last of them passes.
   */
  dequeue(max: number, maxText: number, onTimeout: () => void): Batch;
  /** Rejects the last of the waiting adds, so that at most `max` are left. */
  shed(max: number, reason: StoreUnavailable): void;
  release(batch: Batch): void;
  /** Resolves when every add so far has been settled. */
  drained(): Promise<void>;
}

/** Makes a queue whose adds are rejected with {@link StoreUnavailable} after `timeoutMs`, dequeued or not. */
export function writeQueue(timeoutMs: number, { now, after }: Pick<Platform, 'now' | 'after'>): WriteQueue {
  let waiting: PendingAdd[] = [];
  let waitingText = 0;
  const inFlight = new Map<Batch & { timedOut: boolean }, () => void>();
  let unsettled = 0;
  let isWatching = false;
  let onDrained: (() => void)[] = [];

  function onSettled(): void {
    unsettled -= 1;
    if (unsettled > 0) return;
    for (const resolve of onDrained) resolve();
    onDrained = [];
  }

  /** One timer for all adds, set for the oldest: a timer for each would cost more than the queue. */
  function watch(ms: number): void {
    if (isWatching) return;
    isWatching = true;
    after(ms, () => {
      isWatching = false;
      const next = rejectLate();
      if (next < Infinity) watch(Math.max(1, Math.ceil(next - now())));
    });
  }

  /** Rejects the adds whose deadline has passed, and returns the next deadline. */
  function rejectLate(): number {
    const time = now();
    const late = timeoutError(timeoutMs);
    let next = Infinity;
    for (const add of [...inFlight.keys()].flatMap(({ adds }) => adds).concat(waiting)) {
      if (add.deadline <= time) add.reject(late);
      else if (!add.settled) next = Math.min(next, add.deadline);
    }
    keep(waiting.filter((add) => !add.settled));
    for (const [batch, onTimeout] of inFlight) {
      if (batch.deadline > time) continue;
      batch.timedOut = true;
      inFlight.delete(batch);
      onTimeout();
    }
    return next;
  }

  function keep(adds: PendingAdd[]): void {
    waiting = adds;
    waitingText = adds.reduce((sum, { plant }) => sum + textLength(plant), 0);
  }

  return {
    get length() {
      return waiting.length;
    },
    get textLength() {
      return waitingText;
    },
    get longestWaitMs() {
      const [first] = waiting;
      return first ? now() - (first.deadline - timeoutMs) : 0;
    },
    enqueue(newPlant) {
      // A copy: the caller may change its object while the add waits.
      const plant = { id: newPlant.id, ...plantOf(newPlant) };
      unsettled += 1;
      waitingText += textLength(plant);
      watch(timeoutMs);
      return new Promise((resolve, reject) => {
        waiting.push(new PendingAdd(plant, now() + timeoutMs, resolve, reject, onSettled));
      });
    },
    dequeue(max, maxText, onTimeout) {
      let count = 0;
      let text = 0;
      for (const { plant } of waiting) {
        const more = text + textLength(plant);
        if (count === max || (count > 0 && more > maxText)) break;
        count += 1;
        text = more;
      }
      const adds = waiting.slice(0, count);
      waiting = waiting.slice(count);
      waitingText -= text;
      // Each has the same time from when it came, so the last one's deadline is the latest.
      const batch = { adds, deadline: adds.at(-1)?.deadline ?? now(), timedOut: false };
      inFlight.set(batch, onTimeout);
      return batch;
    },
    shed(max, reason) {
      for (const add of waiting.slice(max)) add.reject(reason);
      keep(waiting.slice(0, max));
    },
    release(batch) {
      inFlight.delete(batch);
    },
    drained: () => (unsettled === 0 ? Promise.resolve() : new Promise((resolve) => void onDrained.push(resolve))),
  };
}
