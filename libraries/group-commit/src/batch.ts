import type { Outcome } from './batch-engine.ts';

/** An item and its caller's promise. */
export interface Item<T, K, R> extends PromiseWithResolvers<R> {
  readonly content: T;
  readonly key: K;
  readonly size: number;
  /** A time of the platform's clock. */
  readonly deadline: number;
  /** The result of the events' `context`. */
  readonly context: unknown;
  /** Whether the caller has its result or error, which may be a timeout. The promise ignores later ones. */
  isSettled: boolean;
}

/** Items with equal keys. */
type Group<T, K, R> = readonly [first: Item<T, K, R>, ...duplicates: Item<T, K, R>[]];

/** Items that left the queue together, until each has its outcome. Of equal keys the first is written; the others are duplicates. */
export class Batch<T, K, R> {
  readonly began: number;
  /** The deadline of the write, a time of the platform's clock. */
  readonly deadline: number;
  /** The number of items, duplicates included. */
  readonly size: number;
  /** Whether the write has neither ended nor timed out. */
  isWriting = true;
  #groups: readonly Group<T, K, R>[];

  constructor(items: readonly Item<T, K, R>[], began: number, deadline: number) {
    this.began = began;
    this.deadline = deadline;
    this.size = items.length;
    // At a low rate most batches have one item, and a Map is expensive.
    const groups = items.length === 1 ? [items] : [...Map.groupBy(items, ({ key }) => key).values()];
    this.#groups = groups as Group<T, K, R>[];
  }

  /** What is written. */
  get contents(): readonly T[] {
    return this.#groups.map(([first]) => first.content);
  }

  get keys(): readonly K[] {
    return this.#groups.map(([first]) => first.key);
  }

  /** All items without an outcome. */
  get items(): readonly Item<T, K, R>[] {
    return this.#groups.flat();
  }

  /** The number of callers that still wait. */
  get awaited(): number {
    return this.items.filter(({ isSettled }) => !isSettled).length;
  }

  /** Whether a caller still waits. */
  get isAwaited(): boolean {
    return this.#groups.some(isAwaited);
  }

  /** Forgets items without callers. */
  dropSettled(): void {
    this.#groups = this.#groups.filter(isAwaited);
  }

  /** @throws {Error} unless there is an outcome for each of the contents. */
  checked(outcomes: readonly Outcome<R>[]): readonly Outcome<R>[] {
    const { length } = this.#groups;
    if (outcomes.length === length) return outcomes;
    const found = `the engine gave ${outcomes.length} outcomes for ${length} items`;
    throw new Error(`${found}; it has to give one for each, in their order`);
  }

  /**
   * Settles the items with an outcome other than `conflict`.
   *
   * @param repeat the result of a duplicate.
   * @returns the duplicates of refused items. They have to be written.
   */
  settle(outcomes: readonly Outcome<R>[], repeat: (result: R, first: T) => R): readonly Item<T, K, R>[] {
    const left: Item<T, K, R>[] = [];
    this.#groups = this.#groups.filter((group, at) => {
      const [first] = group;
      const outcome = outcomes[at] as Outcome<R>;
      if (outcome === 'conflict') return true;
      if ('done' in outcome)
        for (const item of group) resolve(item, item === first ? outcome.done : repeat(outcome.done, first.content));
      else {
        reject(first, outcome.refused);
        left.push(...group.filter(({ isSettled }) => !isSettled));
      }
      return false;
    });
    return left;
  }

  reject(reason: unknown): void {
    for (const item of this.items) reject(item, reason);
  }
}

export function reject<T, K, R>(item: Item<T, K, R>, reason: unknown): void {
  item.isSettled = true;
  item.reject(reason);
}

function resolve<T, K, R>(item: Item<T, K, R>, result: R): void {
  item.isSettled = true;
  item.resolve(result);
}

const isAwaited = (items: readonly { readonly isSettled: boolean }[]) => items.some(({ isSettled }) => !isSettled);
