import type { Tools } from '@plant-store/contracts-kit';
import type { AddResult } from '@plant-store/domain';

/** Adds a plant; undefined if it has failed in a way that is allowed. */
export type Add = () => Promise<AddResult | undefined>;

/**
 * Adds a plant by two callers, and resolves with whether both have succeeded.
 *
 * @param laterMs when the second comes after the first. At the same time, both would be in one batch.
 * @param acknowledged called whenever one has succeeded, and waited for. `isEarly` is the best moment for a kill: a caller saw
 * the plant before the one who added it knew that it is durable.
 */
export async function addTwice(
  [first, second]: readonly [Add, Add],
  laterMs: number,
  { sleep, nextTurn }: Tools,
  acknowledged: (isEarly: boolean) => Promise<unknown>,
): Promise<boolean> {
  let returned = 0;
  const call = async (add: Add) => {
    const result = await add();
    returned += 1;
    // Both may return at the same moment, in either order.
    await nextTurn();
    if (result) await acknowledged(result.outcome === 'exists' && returned === 1);
    return result !== undefined;
  };
  const later = laterMs > 0 ? sleep(laterMs) : Promise.resolve();
  return (await Promise.all([call(first), later.then(() => call(second))])).every(Boolean);
}

/** The second caller comes up to so many milliseconds after the first: a commit takes about as long. */
export const LATER_MS = 6;
