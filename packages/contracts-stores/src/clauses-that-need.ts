import type { Clause } from '@plant-store/contracts-kit';
import type { StoreHarness } from './store-harness.ts';

/**
 * Selects the clauses that bind the harness's store only if it has this capability, so that they can run elsewhere than the
 * others: on a server that may be killed, say.
 */
export function clausesThatNeed(
  capability: 'external' | 'survivesServerCrash',
  harness: StoreHarness,
): (clause: Pick<Clause<StoreHarness>, 'appliesTo'>) => boolean {
  const without = { ...harness, capabilities: { ...harness.capabilities, [capability]: false } };
  return ({ appliesTo }) => appliesTo?.(without) === false;
}
