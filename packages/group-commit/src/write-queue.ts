import { type AddResult, type NewPlant, plantOf, type StoreUnavailable, textLength } from '@plant-store/domain';
import { PendingAdd } from './pending-add.ts';
import type { Platform } from './platform.ts';
import { timeoutError } from './with-timeout.ts';

/** Adds that are written together. */
export type Batch = readonly PendingAdd[];

/** The adds that are not settled yet, in the order in which they came, each with a deadline. */
export interface WriteQueue {
  /** The number of adds that wait to be dequeued. */
  readonly length: number;
  /** How long the first of them has waited, in milliseconds; 0 if there is none. */
  readonly longestWaitMs: number;
  enqueue(plant: NewPlant): Promise<AddResult>;
  /**
   * Takes the adds that have waited longest, within both bounds, but at least one. Their deadlines hold until they are
   * released; `onAbandoned` is called when the last of them passes: nobody waits for the batch any more.
   */
  dequeue(max: number, maxText: number, onAbandoned: () => void): Batch;
  /**
   * Calls back after `timeoutMs`, with the timer of the adds, and returns how to prevent that. What is rejected and
   * abandoned at the same time is so before.
   */
  startTimeout(onTimeout: () => void): () => void;
  /** Rejects the last of the waiting adds, so that at most `max` are left. */
  shed(max: number, reason: StoreUnavailable): void;
  release(batch: Batch): void;
  /** Resolves when every add so far has been settled. */
  drained(): Promise<void>;
}

/** Makes a queue whose adds are rejected with {@link StoreUnavailable} after `timeoutMs`, dequeued or not. */
export function writeQueue(timeoutMs: number, { now, after }: Pick<Platform, 'now' | 'after'>): WriteQueue {
  let waiting: PendingAdd[] = [];
  // Arrays: while things come and go, the tables of a Map or Set keep one another, and what they held, alive in the old
  // generation. There are only a few of each.
  let inFlight: { readonly batch: Batch; readonly onAbandoned: () => void }[] = [];
  let timeouts: { readonly deadline: number; readonly onTimeout: () => void }[] = [];
  let unsettled = 0;
  let isWatching = false;
  let onDrained: (() => void)[] = [];

  function onSettled(): void {
    unsettled -= 1;
    if (unsettled > 0) return;
    for (const resolve of onDrained) resolve();
    onDrained = [];
  }

  /** One timer for all deadlines, set for the first: a timer for each add would cost more than the queue. */
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
    const late = timeoutError(timeoutMs);
    for (const add of pending()) if (add.deadline <= time) add.reject(late);
    waiting = waiting.filter((add) => !add.settled);
    const abandoned = inFlight.filter(({ batch }) => batch.every((add) => add.settled));
    inFlight = inFlight.filter((each) => !abandoned.includes(each));
    for (const { onAbandoned } of abandoned) onAbandoned();
    const over = timeouts.filter(({ deadline }) => deadline <= time);
    timeouts = timeouts.filter((each) => !over.includes(each));
    for (const { onTimeout } of over) onTimeout();
  }

  function nextDeadline(): number {
    let next = Infinity;
    for (const add of pending()) if (!add.settled) next = Math.min(next, add.deadline);
    for (const { deadline } of timeouts) next = Math.min(next, deadline);
    return next;
  }

  const pending = () => [...inFlight.map(({ batch }) => batch), waiting].flat();

  return {
    get length() {
      return waiting.length;
    },
    get longestWaitMs() {
      const [first] = waiting;
      return first ? now() - (first.deadline - timeoutMs) : 0;
    },
    enqueue(newPlant) {
      // A copy: the caller may change its object while the add waits.
      const plant = { id: newPlant.id, ...plantOf(newPlant) };
      unsettled += 1;
      watch(timeoutMs);
      return new Promise((resolve, reject) => {
        waiting.push(new PendingAdd(plant, now() + timeoutMs, resolve, reject, onSettled));
      });
    },
    dequeue(max, maxText, onAbandoned) {
      let count = 0;
      let text = 0;
      for (const { plant } of waiting) {
        const more = text + textLength(plant);
        if (count === max || (count > 0 && more > maxText)) break;
        count += 1;
        text = more;
      }
      const batch = waiting.slice(0, count);
      waiting = waiting.slice(count);
      inFlight.push({ batch, onAbandoned });
      return batch;
    },
    startTimeout(onTimeout) {
      const timeout = { deadline: now() + timeoutMs, onTimeout };
      timeouts.push(timeout);
      watch(timeoutMs);
      return () => {
        timeouts = timeouts.filter((each) => each !== timeout);
      };
    },
    shed(max, reason) {
      for (const add of waiting.slice(max)) add.reject(reason);
      waiting = waiting.slice(0, max);
    },
    release(batch) {
      inFlight = inFlight.filter((each) => each.batch !== batch);
    },
    drained: () => (unsettled === 0 ? Promise.resolve() : new Promise((resolve) => void onDrained.push(resolve))),
  };
}
