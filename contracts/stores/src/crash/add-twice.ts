import type { Tools } from '@plant-store/contracts-kit';
import type { AddResult } from '@plant-store/domain';

/** Adds a plant. Resolves with undefined if the add failed in a way that the clause allows. */
export type Add = () => Promise<AddResult | undefined>;

/**
 * Adds a plant by two concurrent calls. Resolves with true if both succeeded.
 *
 * @param delayMs from the first call to the second. Without a delay, a store writes both in one batch.
 * @param onAcknowledged awaited whenever a call succeeded. `isEarly` means that one call returned `exists` while the call that
 * stores the plant was pending: the best moment for a kill, because the plant may not be durable yet.
 */
export async function addTwice(
  [first, second]: readonly [Add, Add],
  delayMs: number,
  { sleep, nextTurn }: Tools,
  onAcknowledged: (isEarly: boolean) => Promise<unknown>,
): Promise<boolean> {
  let returned = 0;
  const call = async (add: Add) => {
    const result = await add();
    returned += 1;
    // Two calls may return at the same moment, in either order.
    await nextTurn();
    if (result) await onAcknowledged(result.outcome === 'exists' && returned === 1);
    return result !== undefined;
  };
  const delay = delayMs > 0 ? sleep(delayMs) : Promise.resolve();
  return (await Promise.all([call(first), delay.then(() => call(second))])).every(Boolean);
}

/** The longest delay of the second call, in milliseconds: about the time of a commit. */
export const MAX_DELAY_MS = 6;

/** Collects acknowledged plants, or their ids, until there are enough for a kill. */
export class Acknowledged<Key> {
  readonly all = new Set<Key>();
  readonly #enough = Promise.withResolvers<void>();
  /** Resolves at the first early acknowledgement from the hundredth plant on, or at 200 plants. */
  readonly enough: Promise<void> = this.#enough.promise;

  add(key: Key, isEarly: boolean): void {
    this.all.add(key);
    if (this.all.size >= (isEarly ? 100 : 200)) this.#enough.resolve();
  }
}
