import type { Limits } from './limits.ts';

/** A caller of `submit`. */
export interface Caller<T, R> extends Pick<PromiseWithResolvers<R>, 'resolve' | 'reject'> {
  readonly item: T;
  readonly size: number;
  readonly deadline: number;
}

/** An item that waits, or is being written, and its callers. */
export interface Entry<T, K, R> {
  readonly key: K;
  /** Its place in the order of arrival. */
  readonly order: number;
  /** The caller whose item is written. It may have timed out. */
  readonly first: Caller<T, R>;
  /** Those that wait. Callers with an equal key join at the end, so they are in the order of their deadlines. */
  callers: Caller<T, R>[];
  /** Why the latest attempt failed, if there was one. */
  error: Error | undefined;
  queuedAt: number;
}

/** Whether somebody waits for an entry. */
export const isAwaited = ({ callers }: { readonly callers: readonly unknown[] }): boolean => callers.length > 0;

/** All callers that wait for a result, by the keys of their items. */
export class Entries<T, K, R> {
  readonly #byKey = new Map<K, Entry<T, K, R>>();
  readonly #repeat: (result: R, first: T) => R;
  #waiting = 0;
  #added = 0;
  #onSettled = () => {};

  /** @param repeat makes the result of callers that have joined. */
  constructor(repeat: (result: R, first: T) => R) {
    this.#repeat = repeat;
  }

  /** The number of callers. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Adds a caller. @returns its entry, unless it has joined that of an equal key. */
  add(key: K, caller: Caller<T, R>): Entry<T, K, R> | undefined {
    const same = this.#byKey.get(key);
    if (!same) return this.#create(key, [caller], this.#added++);
    same.callers.push(caller);
    this.#waiting += 1;
    return undefined;
  }

  resolve(entry: Entry<T, K, R>, result: R): void {
    const { first } = entry;
    for (const caller of this.#take(entry)) {
      try {
        caller.resolve(caller === first ? result : this.#repeat(result, first.item));
      } catch (error) {
        caller.reject(error);
      }
    }
  }

  reject(entries: readonly Entry<T, K, R>[], error: Error): void {
    for (const entry of entries) for (const caller of this.#take(entry)) caller.reject(error);
  }

  /** Rejects the caller whose item was written. @returns an entry for the others, which has its place in the order. */
  rejectFirst(entry: Entry<T, K, R>, error: Error): Entry<T, K, R> | undefined {
    const { key, order, first } = entry;
    const others = this.#take(entry).filter((caller) => caller !== first);
    first.reject(error);
    return others.length > 0 ? this.#create(key, others, order) : undefined;
  }

  /** Rejects the callers whose deadline has passed. @returns the next deadline; undefined if nobody waits. */
  rejectExpired(time: number, timedOut: () => Error): number | undefined {
    let next: number | undefined;
    for (const entry of this.#byKey.values()) {
      const left = entry.callers.filter(({ deadline }) => deadline > time);
      // The error of the latest attempt says more than that the time is over.
      for (const { deadline, reject } of entry.callers) if (deadline <= time) reject(entry.error ?? timedOut());
      this.#waiting -= entry.callers.length - left.length;
      entry.callers = left;
      const [earliest] = left;
      if (earliest) next = Math.min(next ?? earliest.deadline, earliest.deadline);
      else this.#take(entry);
    }
    return next;
  }

  /** Resolves once nobody waits. */
  async drained(): Promise<void> {
    while (this.#waiting > 0)
      await new Promise<void>((resolve) => {
        this.#onSettled = resolve;
      });
  }

  #create(key: K, callers: Caller<T, R>[], order: number): Entry<T, K, R> {
    const [first] = callers as [Caller<T, R>];
    const entry = { key, order, first, callers, error: undefined, queuedAt: 0 };
    this.#byKey.set(key, entry);
    this.#waiting += callers.length;
    return entry;
  }

  /** Takes the callers of an entry, which is then nobody's. */
  #take(entry: Entry<T, K, R>): readonly Caller<T, R>[] {
    const { key, callers } = entry;
    entry.callers = [];
    this.#waiting -= callers.length;
    // Once its callers have timed out, the key may belong to another entry.
    if (this.#byKey.get(key) === entry) this.#byKey.delete(key);
    this.#onSettled();
    return callers;
  }
}

/** Creates the queue of the entries that wait for a write, in the order of their arrival. */
export function createQueue<T, K, R>({ maxBatch, maxBatchSize, maxWaitMs }: Limits, now: () => number) {
  // An array, because the tables of a Map or Set with many changes keep their former contents alive in the old generation.
  let queue: Entry<T, K, R>[] = [];
  /** The maximum items of a batch, which are fewer while batches take long. */
  let maxItems = maxBatch;

  return {
    get length(): number {
      return queue.length;
    },
    /** How long the first entry has been in the queue, in milliseconds. */
    get waitedMs(): number {
      const [first] = queue;
      return first ? now() - first.queuedAt : 0;
    },
    /** Adds entries. Those that were written before keep their place, and do not hide how long the others have waited. */
    push(entries: readonly Entry<T, K, R>[]): void {
      const [first] = queue;
      const last = queue.at(-1);
      const isBehind = entries.every(({ order }) => !last || last.order < order);
      const queuedAt = isBehind || !first ? now() : first.queuedAt;
      for (const entry of entries) {
        entry.queuedAt = queuedAt;
        queue.push(entry);
      }
      if (!isBehind) queue.sort((a, b) => a.order - b.order);
    },
    /** Takes the oldest entries, within `maxBatch` and `maxBatchSize`, but at least one. */
    take(): readonly Entry<T, K, R>[] {
      let count = 0;
      let size = 0;
      for (const { first } of queue) {
        size += first.size;
        if (count === maxItems || (count > 0 && size > maxBatchSize)) break;
        count += 1;
      }
      return queue.splice(0, count);
    },
    /**
     * Adapts the maximum items to how long a batch took, so that slow items are still written in time. If it took longer than
     * `maxWaitMs`, the maximum is half of its items. If it took less than half of `maxWaitMs`, the maximum doubles.
     */
    adapt(items: number, tookMs: number): void {
      if (tookMs < maxWaitMs / 2) maxItems = Math.min(maxBatch, 2 * maxItems);
      else if (tookMs > maxWaitMs && items > MIN_BATCH)
        maxItems = Math.min(maxItems, Math.max(MIN_BATCH, Math.ceil(items / 2)));
    },
    /** Forgets entries that nobody waits for. */
    dropExpired(): void {
      queue = queue.filter(isAwaited);
    },
  };
}

/** 8: a batch of fewer items takes long because of its commit, which smaller ones would only multiply. */
const MIN_BATCH = 8;
